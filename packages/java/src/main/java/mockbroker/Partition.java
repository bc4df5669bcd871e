package mockbroker;

import static mockbroker.AdminClient.path;

import java.util.List;
import java.util.Map;
import mockbroker.api.AppendedView;
import mockbroker.api.BatchView;
import mockbroker.api.ElectDocument;
import mockbroker.api.ForgottenView;
import mockbroker.api.LeaderView;
import mockbroker.api.LogStartDocument;
import mockbroker.api.LogView;
import mockbroker.api.PartitionView;
import mockbroker.api.ProducerDocument;
import mockbroker.api.ProducerView;
import mockbroker.api.ProducersView;
import mockbroker.api.RecordDocument;
import mockbroker.api.RecordView;
import mockbroker.api.RecordsView;
import mockbroker.api.ReplicaDocument;
import mockbroker.api.TailDocument;

/** A partition of a topic. */
public final class Partition {
  private final AdminClient admin;
  private final String topic;
  private final int partition;

  Partition(AdminClient admin, String topic, int partition) {
    this.admin = admin;
    this.topic = topic;
    this.partition = partition;
  }

  /** Return its replicas, and the offsets of its log. */
  public PartitionView view() {
    return admin.get(at(), PartitionView.class);
  }

  /** Return the log end offset. */
  public long logEndOffset() {
    return view().logEndOffset();
  }

  /** Return the last stable offset. */
  public long lastStableOffset() {
    return view().lastStableOffset();
  }

  /** Return the high watermark. */
  public long highWatermark() {
    return view().highWatermark();
  }

  /** Return the log start offset. */
  public long logStartOffset() {
    return view().logStartOffset();
  }

  /** Return the records that consumers get with {@code isolation.level=read_committed}. */
  public List<RecordView> records() {
    return records("read_committed");
  }

  /** Return all records, also those of open and aborted transactions. */
  public List<RecordView> uncommittedRecords() {
    return records("read_uncommitted");
  }

  /** Return the batches and markers of the log. */
  public List<BatchView> batches() {
    return admin.get(at() + "/log?limit=1000", LogView.class).batches();
  }

  /** Append a record without a client. */
  public AppendedView append(String key, String value) {
    return append(RecordDocument.builder().key(key).value(value).partition(partition).build());
  }

  /** Append a record without a client; {@code partition} of the document has to be this one. */
  public AppendedView append(RecordDocument document) {
    return admin.post(path("topics", topic, "records"), document, AppendedView.class);
  }

  /** Elect the next replica as the leader, and return it. */
  public int elect() {
    return elect(ElectDocument.builder());
  }

  /** Elect a broker as the leader. */
  public int elect(int broker) {
    return elect(ElectDocument.builder().to(broker));
  }

  /** Elect a leader with a state of its log and its producers, and return it. */
  public int elect(ElectDocument.Builder election) {
    ElectDocument document = election.topic(topic).partition(partition).build();
    return admin.post(path("elect"), document, LeaderView.class).leader();
  }

  /** Return the producers that the leader knows. */
  public List<ProducerView> producers() {
    Map<String, Object> here = Map.of("topic", topic, "partition", partition);
    String path = AdminClient.query(path("producers"), here);
    return admin.get(path, ProducersView.class).producers();
  }

  /** Let the leader forget a producer; return whether it was known. */
  public boolean forgetProducer(long producerId) {
    return admin
        .post(at() + "/forget-producer", new ProducerDocument(producerId), ForgottenView.class)
        .wasKnown();
  }

  /** Let the replica on a broker lag behind. */
  public void lag(int broker) {
    admin.post(at() + "/lag", new ReplicaDocument(broker), PartitionView.class);
  }

  /** Let all replicas catch up. */
  public void catchUp() {
    admin.post(at() + "/catch-up", null, PartitionView.class);
  }

  /** Lose the last records of the log; whole batches are lost. */
  public void loseTail(long records) {
    admin.post(at() + "/lose-tail", new TailDocument(records), PartitionView.class);
  }

  /** Move the log start offset, as retention does. */
  public void moveLogStart(long offset) {
    admin.post(at() + "/move-log-start", new LogStartDocument(offset), PartitionView.class);
  }

  private List<RecordView> records(String isolation) {
    String path = AdminClient.query(at() + "/records", Map.of("isolation", isolation));
    return admin.get(path, RecordsView.class).records();
  }

  private String at() {
    return path("topics", topic, "partitions", partition);
  }
}
