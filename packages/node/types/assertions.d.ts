// Made by `npm run types` from the HTTP API of mockbroker.

/** The assertions by name, with their arguments. */
export interface Assertions {
  /** no acknowledged record is lost, none is stored twice, and no aborted one is visible */
  "exactly-once": {
    /** the topic (all that are not internal) */
    topic?: string;
    /** the values that readers get */
    expected?: string[];
    /** transactions may be open */
    allow_open?: boolean;
  };
  /** no record that was sent once is stored twice */
  "no-duplicates": {
    /** the topic (all that are not internal) */
    topic?: string;
    /** the identity of a record: key, value, header:NAME, json:PATH (a field of the value) */
    key?: string;
  };
  /** no acknowledged record is lost */
  "no-loss": {
    /** the topic (all that are not internal) */
    topic?: string;
    /** the values that readers get */
    expected?: string[];
  };
  /** readers get these values, in this order */
  "records": {
    /** the topic */
    topic: string;
    /** the values */
    expected: string[];
    /** one partition of the topic */
    partition?: number;
    /** read_committed or read_uncommitted */
    isolation?: string;
  };
  /** no transaction hangs */
  "no-hanging-transactions": {
  };
  /** every transaction has ended */
  "no-open-transactions": {
  };
  /** no producer wrote after it was fenced */
  "no-zombie-writes": {
    /** the topic (all that are not internal) */
    topic?: string;
  };
  /** the last transaction of an id was committed */
  "committed": {
    /** the transactional id */
    transactional_id: string;
  };
  /** the last transaction of an id was aborted */
  "aborted": {
    /** the transactional id */
    transactional_id: string;
  };
  /** a producer got the error that fences it */
  "fenced": {
    /** the transactional id */
    transactional_id?: string;
    /** its producer id */
    producer_id?: number;
    /** its producer epoch */
    producer_epoch?: number;
  };
  /** a transactional id has this producer epoch */
  "producer-epoch": {
    /** the transactional id */
    transactional_id: string;
    /** the epoch */
    producer_epoch: number;
  };
  /** producers handled an error as retriable, abortable or fatal (KIP-691) */
  "error-handled": {
    /** the error, by Kafka's name */
    error: string;
    /** retriable, abortable or fatal */
    as_: string;
    /** the transactional id */
    transactional_id?: string;
  };
  /** no partition was owned by two members of a group at once */
  "no-partition-owned-twice": {
    /** the group */
    group: string;
  };
  /** a share group delivered no record more often than its limit allows */
  "no-record-delivered-beyond-limit": {
    /** the share group */
    group: string;
  };
  /** the members of a share group have accepted or rejected each record once */
  "each-record-acknowledged-once": {
    /** the share group */
    group: string;
  };
  /** no connection was closed for an unsupported request */
  "no-unhandled-requests": {
  };
  /** every fault has fired */
  "all-faults-fired": {
  };
}
