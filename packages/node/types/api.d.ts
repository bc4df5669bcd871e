// Made by `npm run types` from the HTTP API of mockbroker.

export interface paths {
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the version of mockbroker, and the emulated release of Kafka */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["VersionView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show this description */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the state of the cluster in one document */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StateView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reset the cluster to its initial state, on the same ports and with the same topics */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/seed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the seed of all later random choices */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SeedDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SeedView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/shutdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop the process that serves the cluster */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoppingView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the authority of a cluster that issues certificates, in PEM */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TlsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listeners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the listeners, and the addresses that they advertise */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ListenersView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listeners/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the addresses that a listener advertises */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ListenerView"];
                    };
                };
            };
        };
        /** Set the address that a listener advertises, such as that of a mapped port */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ListenerDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ListenerView"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all faults, including those that can fire no more */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FaultsView"];
                    };
                };
            };
        };
        put?: never;
        /** Create a fault, which is applied inside the existing ones */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FaultDocument"];
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FaultView"];
                    };
                };
            };
        };
        /** Remove all faults; the calls that they hold are released */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/faults/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Release the calls that a fault holds */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReleasedView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/faults/{id}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Wait until a fault has fired at, held or released a number of calls */
        get: {
            parameters: {
                query?: {
                    hits?: number;
                    held?: number;
                    released?: number;
                    timeout?: string | number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FaultView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/faults/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a fault, and its counts */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FaultView"];
                    };
                };
            };
        };
        /** Create a fault, or replace the one with that id */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FaultDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FaultView"];
                    };
                };
            };
        };
        post?: never;
        /** Remove a fault; the calls that it holds are released */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all topics and their partitions */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TopicsView"];
                    };
                };
            };
        };
        put?: never;
        /** Create a topic */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewTopicDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TopicView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Append a record without a client, as a producer with acks=1 */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RecordDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AppendedView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a topic and its partitions */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TopicView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Draw a timeline of partitions as text, for people: batches, markers, and offsets */
        get: {
            parameters: {
                query?: {
                    topic?: string;
                    partition?: number;
                    width?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LanesView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a partition */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PartitionView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the batches of a partition, markers included */
        get: {
            parameters: {
                query?: {
                    from?: number;
                    limit?: number;
                };
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LogView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the records of a partition that consumers with an isolation level can read */
        get: {
            parameters: {
                query?: {
                    isolation?: "read_committed" | "read_uncommitted";
                    from?: number;
                    limit?: number;
                };
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RecordsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete the records before an offset, or all records, as DeleteRecords does */
        delete: {
            parameters: {
                query?: {
                    before?: number;
                };
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LogStartView"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/elect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Elect the leader of a partition: the next replica in turn, or the named one */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ElectDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LeaderView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/lag": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a replica's fetches from the leader, while it stays in sync */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReplicaDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PartitionView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/lose-replica": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove a replica from the in-sync replicas */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReplicaDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PartitionView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/catch-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let one replica, or all whose brokers run, catch up and be in sync again */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["CatchUpDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PartitionView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/lose-tail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lose the last records of all replicas, as when all brokers crash before a flush */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["TailDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PartitionView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/move-log-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move the log start offset, as retention does */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LogStartDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PartitionView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/forget-producer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Forget a producer, as `producer.id.expiration.ms` does */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProducerDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ForgottenView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compact the log, as one run of Kafka's log cleaner does */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CompactedView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/recreate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete a topic and create it again: the same name, another id, and empty logs */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["RecreateDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TopicView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/replicas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the replicas of a partition with the offsets and producers of their logs */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReplicasView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/replicas/{broker}/hold-offsets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep a follower's log start offset and high watermark, while it goes on to copy records */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReplicaView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/replicas/{broker}/release-offsets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let the leader's log start offset and high watermark arrive again */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReplicaView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/replicas/{broker}/move-log-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move the log start offset of one replica alone */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                    broker: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LogStartDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReplicaView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/replicas/{broker}/reload-producers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reload the producers of one replica, as its broker does when it restarts */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["SnapshotDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReplicaView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topics/{topic}/partitions/{partition}/replicas/{broker}/forget-producer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Forget a producer in one replica alone */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    topic: string;
                    partition: number;
                    broker: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProducerDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ForgottenView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/producers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the producers that partitions know */
        get: {
            parameters: {
                query?: {
                    topic?: string;
                    partition?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProducersView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the transactional ids that coordinators know */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TransactionsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transactional_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the coordinator's state of a transactional id */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    transactional_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TransactionView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transactional_id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Abort an open transaction, as its coordinator does when the transaction times out */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    transactional_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TransactionView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transactional_id}/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Expire a transactional id now, as transactional.id.expiration.ms does later */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    transactional_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transactional_id}/hold-ending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hold the steps after the next commit or abort: its markers and its completion record */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    transactional_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["HoldDocument"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transactional_id}/step": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run the next held step: write a marker or the completion record */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    transactional_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StepView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transactional_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run all held steps, and hold no more */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    transactional_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/marker-delay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Delay the markers of all transactions that end from now on, or of some of them */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MarkerDelayDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["MarkerDelayView"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hanging": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List hanging transactions: open in a partition, and unknown to their coordinator */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HangingsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the groups that coordinators know */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GroupsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a group, its members and its committed offsets */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GroupView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/fence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove a member, as its coordinator does when the member's session ends */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemberDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GroupView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/rebalance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a rebalance, as after a member has joined and left again */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GroupView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/hold-reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep the members from new assignments; the group need not exist yet */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/step": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let one member of a held group take its next step, in its next heartbeat */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemberDocument"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hold the members no more: they get their assignments in their next heartbeats */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the dead letters of a share group that are held */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HeldDeadLettersView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/hold-dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hold the dead letters of a share group: their records are ARCHIVING then */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/step-dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write the dead letters that have waited longest */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StepView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/release-dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write all dead letters that wait, and hold no more */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/share-partitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the partitions of a share group, with their records in flight */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SharePartitionsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/expire-locks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let acquisition locks of a share group expire now, as at their time */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["LocksDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ExpiredLocksView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/move-share-coordinator": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move the coordinator that stores the state of a share partition to another broker */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    group_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ShareCoordinatorDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CoordinatorView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the clock of the cluster's state */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ClockView"];
                    };
                };
            };
        };
        /** Advance the clock to a time, freeze it, or resume it */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["ClockDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ClockView"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clock/advance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Advance the clock by at most 3650d, and run every timer up to the new time, in order */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AdvanceDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PassedView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all brokers */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers/{broker}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Kill a broker as `kill -9` does: connections break, and its port refuses new ones */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers/{broker}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a broker in a controlled way, after it wrote its checkpoints and snapshots */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers/{broker}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a killed or stopped broker at the same port, with the logs that it had */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["StartDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers/{broker}/lag": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a broker's fetches from all leaders, while its replicas stay in sync for a time */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers/{broker}/catch-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a broker fetch from all leaders again, and its replicas be in sync */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers/{broker}/isolate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Isolate a broker from all others; clients still reach it, and it uses its last metadata */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/brokers/{broker}/rejoin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reconnect an isolated broker to the cluster */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    broker: number;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Simulate a power failure of one broker or all of them: unflushed records are lost */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["CrashDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BrokersView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flush": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Flush all logs to disk, so that a crash loses nothing that was written before */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Nothing"];
                };
            };
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/coordinators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the coordinator of a transactional id or a group */
        get: {
            parameters: {
                query?: {
                    transactional_id?: string;
                    group?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CoordinatorView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/coordinators/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move the coordinator of a transactional id or a group to another broker */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["MoveDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CoordinatorView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show entries of the journal, in order */
        get: {
            parameters: {
                query?: {
                    kind?: string | string[];
                    api?: string | string[];
                    version?: number | number[];
                    broker?: number | number[];
                    connection?: number | number[];
                    client_id?: string | string[];
                    principal?: string | string[];
                    group?: string | string[];
                    transactional_id?: string | string[];
                    topic?: string | string[];
                    partition?: number | number[];
                    producer_id?: number | number[];
                    producer_epoch?: number | number[];
                    base_sequence?: number | number[];
                    error?: string | string[];
                    rule?: string | string[];
                    call?: number | number[];
                    after?: number;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["JournalView"];
                    };
                };
            };
        };
        /** Start or stop recording; recorded entries in memory stay readable */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["JournalDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["JournalView"];
                    };
                };
            };
        };
        post?: never;
        /** Delete the entries in memory */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/journal/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find entries */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["JournalSelection"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["JournalView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/journal/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Count requests, or entries of another kind */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["JournalSelection"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CountView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/journal/unfired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the faults that have not fired, each with the closest call */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FaultsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Follow the journal as server-sent events; `Last-Event-ID` resumes an ended stream */
        get: {
            parameters: {
                query?: {
                    kind?: string | string[];
                    api?: string | string[];
                    version?: number | number[];
                    broker?: number | number[];
                    connection?: number | number[];
                    client_id?: string | string[];
                    principal?: string | string[];
                    group?: string | string[];
                    transactional_id?: string | string[];
                    topic?: string | string[];
                    partition?: number | number[];
                    producer_id?: number | number[];
                    producer_epoch?: number | number[];
                    base_sequence?: number | number[];
                    error?: string | string[];
                    rule?: string | string[];
                    call?: number | number[];
                    after?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assertions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all assertions */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AssertionsView"];
                    };
                };
            };
        };
        put?: never;
        /** Check assertions, and report those that do not hold, and those that judged nothing */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AssertionsDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OutcomeView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how full the ledger is */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LedgerView"];
                    };
                };
            };
        };
        /** Start a new ledger, or stop recording and delete the rows */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LedgerDocument"];
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LedgerView"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scenario": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Record what was done to the cluster as a scenario: settings, faults, and control calls */
        get: {
            parameters: {
                query?: {
                    waits?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RecordingView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * ProblemDocument
         * @description A problem: `code` is for programs, `detail` for people.
         */
        ProblemDocument: {
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
            /** @default null */
            path?: string | null;
            near?: string[];
            /** @default null */
            kafka_error?: string | null;
            /** @default null */
            command?: string | null;
        };
        /**
         * Nothing
         * @description A document without fields, for requests without parameters.
         */
        Nothing: Record<string, unknown>;
        /**
         * SeedDocument
         * @description The seed of all random choices.
         */
        SeedDocument: {
            seed: number;
        };
        /**
         * ListenerDocument
         * @description The advertised address, `host:port`; each next broker has the next port.
         */
        ListenerDocument: {
            advertised: string;
            /** @default null */
            broker?: number | null;
        };
        /**
         * FaultDocument
         * @description A complete fault; without a trigger it fires once, and a toxic at every connection.
         */
        FaultDocument: {
            /** @default null */
            id?: string | null;
            match?: components["schemas"]["Match"];
            /** @default null */
            trigger?: components["schemas"]["Trigger"] | null;
            effect: components["schemas"]["Effect"];
        };
        /**
         * Match
         * @description Selectors of a fault: a call must match all that are set; unset ones match anything.
         */
        Match: {
            /** @default null */
            api?: string | string[] | null;
            /** @default null */
            version?: number | number[] | null;
            /** @default null */
            topic?: string | string[] | null;
            /** @default null */
            partition?: number | number[] | null;
            /** @default null */
            transactional_id?: string | string[] | null;
            /** @default null */
            producer_id?: number | number[] | null;
            /** @default null */
            producer_epoch?: number | number[] | null;
            /** @default null */
            base_sequence?: number | number[] | null;
            /** @default null */
            group?: string | string[] | null;
            /** @default null */
            member_id?: string | string[] | null;
            /** @default null */
            client_id?: string | string[] | null;
            /** @default null */
            principal?: string | string[] | null;
            /** @default null */
            listener?: string | string[] | null;
            /** @default null */
            broker?: number | number[] | null;
            /** @default null */
            connection?: number | number[] | null;
            /** @default null */
            between_brokers?: boolean | null;
        };
        /**
         * NewTopicDocument
         * @description A topic to create; by default, with the replicas of `default.replication.factor`.
         */
        NewTopicDocument: {
            name: string;
            /** @default 1 */
            partitions?: number;
            /** @default null */
            replication_factor?: number | null;
            config?: {
                [key: string]: string;
            };
        };
        /**
         * RecordDocument
         * @description A record to append; by default, its key chooses the partition.
         */
        RecordDocument: {
            value: string | null;
            /** @default null */
            key?: string | null;
            headers?: components["schemas"]["HeaderDocument"][];
            /** @default null */
            partition?: number | null;
            /** @default null */
            timestamp_ms?: number | null;
            /** @default false */
            base64?: boolean;
        };
        /**
         * HeaderDocument
         * @description A header of a record to append.
         */
        HeaderDocument: {
            key: string;
            value: string | null;
        };
        /**
         * ElectDocument
         * @description The broker to elect, and the new leader's log and producer state.
         */
        ElectDocument: {
            topic: string;
            partition: number;
            /** @default null */
            to?: number | null;
            /**
             * @default full
             * @enum {unknown}
             */
            producer_state?: "from_log" | "from_snapshot" | "full" | "none";
            /**
             * @default keep
             * @enum {unknown}
             */
            log?: "keep" | "truncate";
            /** @default null */
            log_end_offset?: number | null;
            /** @default null */
            high_watermark?: number | null;
        };
        /**
         * ReplicaDocument
         * @description A replica, by the id of its broker.
         */
        ReplicaDocument: {
            broker: number;
        };
        /**
         * CatchUpDocument
         * @description The replica that catches up; default: all whose brokers are running.
         */
        CatchUpDocument: {
            /** @default null */
            broker?: number | null;
        };
        /**
         * TailDocument
         * @description Number of records to lose; whole batches are lost.
         */
        TailDocument: {
            /** @default 1 */
            records?: number;
        };
        /**
         * LogStartDocument
         * @description The new log start offset.
         */
        LogStartDocument: {
            to: number;
        };
        /**
         * ProducerDocument
         * @description A producer.
         */
        ProducerDocument: {
            producer_id: number;
        };
        /**
         * RecreateDocument
         * @description Settings of the new topic; default: as before.
         */
        RecreateDocument: {
            /** @default null */
            partitions?: number | null;
            /** @default 0 */
            start_offset?: number;
        };
        /**
         * SnapshotDocument
         * @description The producer snapshot that the replica loads.
         */
        SnapshotDocument: {
            /**
             * @default full
             * @enum {unknown}
             */
            snapshot?: "full" | "none" | "stale";
        };
        /**
         * HoldDocument
         * @description Steps to hold: all, or only the marker of one partition.
         */
        HoldDocument: {
            /** @default null */
            topic?: string | null;
            /** @default null */
            partition?: number | null;
        };
        /**
         * MarkerDelayDocument
         * @description Time between the decision on a transaction and its markers.
         */
        MarkerDelayDocument: {
            by: string;
            /** @default 1 */
            probability?: number;
        };
        /**
         * MemberDocument
         * @description A member of the group.
         */
        MemberDocument: {
            member_id: string;
        };
        /**
         * LocksDocument
         * @description The acquisition locks of a topic, a partition, a member; default: of the whole group.
         */
        LocksDocument: {
            /** @default null */
            topic?: string | null;
            /** @default null */
            partition?: number | null;
            /** @default null */
            member_id?: string | null;
        };
        /**
         * ShareCoordinatorDocument
         * @description A share partition, and the broker to move its coordinator to; default: the next replica.
         */
        ShareCoordinatorDocument: {
            topic: string;
            partition: number;
            /** @default null */
            to?: number | null;
        };
        /**
         * ClockDocument
         * @description New time of the clock, and whether it is frozen.
         */
        ClockDocument: {
            /** @default null */
            now?: string | number | null;
            /** @default null */
            frozen?: boolean | null;
            /** @default true */
            keep_sessions?: boolean;
        };
        /**
         * AdvanceDocument
         * @description The time to advance the clock by.
         */
        AdvanceDocument: {
            by: string | number;
            /** @default true */
            keep_sessions?: boolean;
        };
        /**
         * StartDocument
         * @description The producer snapshot that the broker loads; default: as it was stopped or killed.
         */
        StartDocument: {
            /** @default null */
            producer_snapshot?: ("full" | "none" | "stale") | null;
        };
        /**
         * CrashDocument
         * @description The broker to crash; default: all.
         */
        CrashDocument: {
            /** @default null */
            broker?: number | null;
        };
        /**
         * MoveDocument
         * @description The transactional id or the group whose coordinator moves.
         */
        MoveDocument: {
            /** @default null */
            transactional_id?: string | null;
            /** @default null */
            group?: string | null;
            /** @default null */
            to?: number | null;
        };
        /**
         * JournalDocument
         * @description Switch of the journal.
         */
        JournalDocument: {
            on: boolean;
            /** @default null */
            entries_max?: number | null;
            /** @default null */
            identity?: string | null;
        };
        /**
         * JournalSelection
         * @description Filter for entries: an entry must match all fields that are set.
         */
        JournalSelection: {
            /** @default null */
            kind?: string | string[] | null;
            /** @default null */
            api?: string | string[] | null;
            /** @default null */
            version?: number | number[] | null;
            /** @default null */
            broker?: number | number[] | null;
            /** @default null */
            connection?: number | number[] | null;
            /** @default null */
            client_id?: string | string[] | null;
            /** @default null */
            principal?: string | string[] | null;
            /** @default null */
            group?: string | string[] | null;
            /** @default null */
            transactional_id?: string | string[] | null;
            /** @default null */
            topic?: string | string[] | null;
            /** @default null */
            partition?: number | number[] | null;
            /** @default null */
            producer_id?: number | number[] | null;
            /** @default null */
            producer_epoch?: number | number[] | null;
            /** @default null */
            base_sequence?: number | number[] | null;
            /** @default null */
            error?: string | string[] | null;
            /** @default null */
            rule?: string | string[] | null;
            /** @default null */
            call?: number | number[] | null;
        };
        /**
         * AssertionsDocument
         * @description Assertions to check; all are checked.
         */
        AssertionsDocument: {
            assertions: components["schemas"]["AssertionDocument"][];
        };
        /**
         * AssertionDocument
         * @description One assertion: its name, and its arguments by name.
         */
        AssertionDocument: {
            name: string;
            arguments?: Record<string, unknown>;
        };
        /**
         * LedgerDocument
         * @description Switch of the ledger.
         */
        LedgerDocument: {
            on: boolean;
            /** @default null */
            rows_max?: number | null;
        };
        /**
         * LoginDocument
         * @description The token that commands need.
         */
        LoginDocument: {
            token: string;
        };
        /**
         * HealthView
         * @description A successful health check.
         */
        HealthView: {
            status: string;
        };
        /**
         * VersionView
         * @description Version of mockbroker, and the emulated release of Kafka.
         */
        VersionView: {
            version: string;
            kafka: string;
        };
        /**
         * StateView
         * @description The whole state of a cluster.
         */
        StateView: {
            cluster: components["schemas"]["ClusterView"];
            brokers: components["schemas"]["BrokerView"][];
            topics: components["schemas"]["TopicView"][];
            transactions: components["schemas"]["TransactionView"][];
            hanging: components["schemas"]["HangingView"][];
            faults: components["schemas"]["FaultView"][];
        };
        /**
         * ClusterView
         * @description Settings and state of a cluster.
         */
        ClusterView: {
            cluster_id: string;
            kafka: string;
            bootstrap_servers: string;
            controller_id: number;
            seed: number;
            clock: components["schemas"]["ClockView"];
        };
        /**
         * ClockView
         * @description The clock of the state; the network always uses real time.
         */
        ClockView: {
            now_ms: number;
            now: string | null;
            /** @enum {unknown} */
            mode: "manual" | "offset" | "real";
            ahead_ms: number;
        };
        /**
         * BrokerView
         * @description One broker.
         */
        BrokerView: {
            id: number;
            host: string;
            port: number;
            rack: string | null;
            state: string;
            is_controller: boolean;
            leads: number;
        };
        /**
         * TopicView
         * @description One topic.
         */
        TopicView: {
            name: string;
            topic_id: string;
            is_internal: boolean;
            partitions: components["schemas"]["PartitionView"][];
        };
        /**
         * PartitionView
         * @description One partition: its replicas, and the offsets of its log.
         */
        PartitionView: {
            partition: number;
            leader: number;
            leader_epoch: number;
            replicas: number[];
            in_sync_replicas: number[];
            log_start_offset: number;
            last_stable_offset: number;
            high_watermark: number;
            log_end_offset: number;
            size_bytes: number;
        };
        /**
         * TransactionView
         * @description A transactional id, from its coordinator's state.
         */
        TransactionView: {
            transactional_id: string;
            coordinator: number;
            state: string;
            pending_state: string | null;
            producer_id: number;
            producer_epoch: number;
            last_producer_epoch: number;
            timeout_ms: number;
            partitions: components["schemas"]["TopicPartitionView"][];
            started_at_ms: number | null;
            updated_at_ms: number;
        };
        /**
         * TopicPartitionView
         * @description A partition of a topic.
         */
        TopicPartitionView: {
            topic: string;
            partition: number;
        };
        /**
         * HangingView
         * @description A hanging transaction: open in a partition, and never ended by any coordinator.
         */
        HangingView: {
            topic: string;
            partition: number;
            producer_id: number;
            producer_epoch: number;
            coordinator_epoch: number;
            first_offset: number;
        };
        /**
         * FaultView
         * @description One fault and its counters.
         */
        FaultView: {
            id: string;
            match: components["schemas"]["Match"];
            trigger: components["schemas"]["Trigger"];
            effect: components["schemas"]["Effect"] | null;
            expressible: boolean;
            python: string;
            calls: number;
            hits: number;
            touched_bytes: number;
            held: number;
            released: number;
            is_over: boolean;
            error: string | null;
            warning: string | null;
            nearest: components["schemas"]["NearestView"] | null;
            story: string;
        };
        /**
         * NearestView
         * @description The call or the connection that came closest to a fault without matching it.
         */
        NearestView: {
            api: string | null;
            version: number | null;
            connection: number;
            client_id: string | null;
            miss: string;
        };
        /**
         * SeedView
         * @description The seed of all random choices from now on.
         */
        SeedView: {
            seed: number;
        };
        /**
         * StoppingView
         * @description Confirmation that the process stops.
         */
        StoppingView: {
            status: string;
        };
        /**
         * TlsView
         * @description Certificate of the authority that clients have to trust.
         */
        TlsView: {
            ca_pem: string;
        };
        /**
         * ListenersView
         * @description All listeners.
         */
        ListenersView: {
            listeners: components["schemas"]["ListenerView"][];
        };
        /**
         * ListenerView
         * @description A listener of all brokers.
         */
        ListenerView: {
            name: string;
            advertised: components["schemas"]["AdvertisedView"][];
        };
        /**
         * AdvertisedView
         * @description Advertised address of a broker.
         */
        AdvertisedView: {
            broker: number;
            host: string;
            port: number;
        };
        /**
         * FaultsView
         * @description All faults in the order of their creation: the first is the outermost.
         */
        FaultsView: {
            faults: components["schemas"]["FaultView"][];
        };
        /**
         * ReleasedView
         * @description Number of released calls.
         */
        ReleasedView: {
            released: number;
        };
        /**
         * TopicsView
         * @description All topics, ordered by name.
         */
        TopicsView: {
            topics: components["schemas"]["TopicView"][];
        };
        /**
         * AppendedView
         * @description Where a record was appended.
         */
        AppendedView: {
            topic: string;
            partition: number;
            offset: number;
            timestamp_ms: number;
        };
        /**
         * LanesView
         * @description Timeline of partitions as text: batches, markers, and offsets.
         */
        LanesView: {
            text: string;
        };
        /**
         * LogView
         * @description Batches of a partition, from an offset on.
         */
        LogView: {
            topic: string;
            partition: number;
            log_start_offset: number;
            last_stable_offset: number;
            high_watermark: number;
            log_end_offset: number;
            batches: components["schemas"]["BatchView"][];
            next_offset: number;
        };
        /**
         * BatchView
         * @description One batch of a log.
         */
        BatchView: {
            base_offset: number;
            last_offset: number;
            records: number;
            size_bytes: number;
            leader_epoch: number;
            timestamp_ms: number;
            compression: string;
            producer_id: number;
            producer_epoch: number;
            base_sequence: number;
            last_sequence: number;
            is_transactional: boolean;
            marker: string | null;
        };
        /**
         * RecordsView
         * @description Records of a partition that consumers with an isolation level can read.
         */
        RecordsView: {
            topic: string;
            partition: number;
            records: components["schemas"]["RecordView"][];
        };
        /**
         * RecordView
         * @description One record.
         */
        RecordView: {
            offset: number;
            timestamp_ms: number;
            key: components["schemas"]["BytesView"] | null;
            value: components["schemas"]["BytesView"] | null;
            headers: components["schemas"]["HeaderView"][];
            producer_id: number;
            producer_epoch: number;
            sequence: number;
            is_transactional: boolean;
        };
        /**
         * BytesView
         * @description Bytes, also decoded if they are valid text.
         */
        BytesView: {
            text: string | null;
            base64: string;
        };
        /**
         * HeaderView
         * @description A record's header.
         */
        HeaderView: {
            key: string;
            value: components["schemas"]["BytesView"] | null;
        };
        /**
         * LogStartView
         * @description A log start offset.
         */
        LogStartView: {
            log_start_offset: number;
        };
        /**
         * LeaderView
         * @description The current leader.
         */
        LeaderView: {
            leader: number;
        };
        /**
         * ForgottenView
         * @description True if the producer was known.
         */
        ForgottenView: {
            was_known: boolean;
        };
        /**
         * CompactedView
         * @description Number of removed records.
         */
        CompactedView: {
            removed: number;
        };
        /**
         * ReplicasView
         * @description The replicas of a partition, the preferred leader first.
         */
        ReplicasView: {
            replicas: components["schemas"]["ReplicaView"][];
        };
        /**
         * ReplicaView
         * @description One replica: the offsets, leader epochs and producers of its own log.
         */
        ReplicaView: {
            broker: number;
            is_in_sync: boolean;
            fetches: boolean;
            log_start_offset: number;
            last_stable_offset: number;
            high_watermark: number;
            log_end_offset: number;
            leader_epochs: components["schemas"]["LeaderEpochView"][];
            producers: components["schemas"]["ReplicaProducerView"][];
        };
        /**
         * LeaderEpochView
         * @description A leader epoch, and its first offset.
         */
        LeaderEpochView: {
            leader_epoch: number;
            start_offset: number;
        };
        /**
         * ReplicaProducerView
         * @description A producer, as one replica knows it.
         */
        ReplicaProducerView: {
            producer_id: number;
            producer_epoch: number;
            last_sequence: number;
            last_offset: number;
            current_txn_first_offset: number;
        };
        /**
         * ProducersView
         * @description Producers, ordered by partition and producer id.
         */
        ProducersView: {
            producers: components["schemas"]["ProducerView"][];
        };
        /**
         * ProducerView
         * @description A producer, from the state of a partition's leader.
         */
        ProducerView: {
            topic: string;
            partition: number;
            producer_id: number;
            producer_epoch: number;
            last_sequence: number;
            last_offset: number;
            last_timestamp_ms: number;
            coordinator_epoch: number;
            transaction_first_offset: number | null;
        };
        /**
         * TransactionsView
         * @description All transactional ids, in order.
         */
        TransactionsView: {
            transactions: components["schemas"]["TransactionView"][];
        };
        /**
         * StepView
         * @description The completed step; `null` if none is left.
         */
        StepView: {
            done: string | null;
        };
        /**
         * MarkerDelayView
         * @description The delay of the markers of each transaction that ends from now on.
         */
        MarkerDelayView: {
            by: string;
            probability: number;
        };
        /**
         * HangingsView
         * @description All hanging transactions (KIP-664).
         */
        HangingsView: {
            hanging: components["schemas"]["HangingView"][];
        };
        /**
         * GroupsView
         * @description All groups, in the order of their ids.
         */
        GroupsView: {
            groups: components["schemas"]["GroupView"][];
        };
        /**
         * GroupView
         * @description A group, from its coordinator's state.
         */
        GroupView: {
            group_id: string;
            kind: string;
            state: string;
            coordinator: number;
            group_epoch: number;
            assignment_epoch: number;
            is_held: boolean;
            members: components["schemas"]["GroupMemberView"][];
            offsets: components["schemas"]["CommittedOffsetView"][];
        };
        /**
         * GroupMemberView
         * @description A member of a group; in a streams group, `topic` is the subtopology of a task.
         */
        GroupMemberView: {
            member_id: string;
            instance_id: string | null;
            client_id: string;
            client_host: string;
            member_epoch: number;
            state: string;
            subscribed_topics: string[];
            assigned: components["schemas"]["TopicPartitionView"][];
            pending_revocation: components["schemas"]["TopicPartitionView"][];
            target: components["schemas"]["TopicPartitionView"][];
            standby: components["schemas"]["TopicPartitionView"][];
            warmup: components["schemas"]["TopicPartitionView"][];
        };
        /**
         * CommittedOffsetView
         * @description A committed offset.
         */
        CommittedOffsetView: {
            topic: string;
            partition: number;
            offset: number;
        };
        /**
         * HeldDeadLettersView
         * @description The dead letters that wait, in the order in which they are written.
         */
        HeldDeadLettersView: {
            waiting: string[];
        };
        /**
         * SharePartitionsView
         * @description The share partitions of a group, in the order of topics and partitions.
         */
        SharePartitionsView: {
            share_partitions: components["schemas"]["SharePartitionView"][];
        };
        /**
         * SharePartitionView
         * @description A partition as a share group sees it.
         */
        SharePartitionView: {
            topic: string;
            partition: number;
            leader: number;
            share_coordinator: number;
            is_loaded: boolean;
            start_offset: number;
            end_offset: number;
            delivery_complete_count: number;
            in_flight: components["schemas"]["InFlightRecordsView"][];
        };
        /**
         * InFlightRecordsView
         * @description Consecutive records of a share partition in the same state.
         */
        InFlightRecordsView: {
            first_offset: number;
            last_offset: number;
            state: string;
            delivery_count: number;
            member_id: string | null;
            lock_expires_ms: number | null;
        };
        /**
         * ExpiredLocksView
         * @description Number of records whose locks have expired.
         */
        ExpiredLocksView: {
            records: number;
        };
        /**
         * CoordinatorView
         * @description The coordinator.
         */
        CoordinatorView: {
            broker: number;
        };
        /**
         * PassedView
         * @description Result of a jump of the clock.
         */
        PassedView: {
            now_ms: number;
            now: string | null;
            done: string[];
            transactional_ids: string[];
            fell_due: components["schemas"]["DueEventView"][];
        };
        /**
         * DueEventView
         * @description A timeout, an expiry, or a deletion by retention.
         */
        DueEventView: {
            at_ms: number;
            /** @enum {unknown} */
            kind: "group_removed" | "member_expelled" | "producer_id_expired" | "records_deleted" | "transaction_timed_out" | "transactional_id_expired";
            facts: {
                [key: string]: string | number;
            };
        };
        /**
         * BrokersView
         * @description All brokers, ordered by id.
         */
        BrokersView: {
            brokers: components["schemas"]["BrokerView"][];
        };
        /**
         * JournalView
         * @description Entries of the journal, in order.
         */
        JournalView: {
            is_on: boolean;
            dropped: number;
            entries: components["schemas"]["EntryView"][];
        };
        /**
         * EntryView
         * @description One row of the journal, without its empty columns.
         */
        EntryView: {
            seq: number;
            kind: string;
            wall_time_us: number;
            virtual_time_ms: number;
            call?: number;
            broker?: number;
            connection?: number;
            client_id?: string;
            principal?: string;
            api?: string;
            version?: number;
            correlation_id?: number;
            group?: string;
            transactional_id?: string;
            topic?: string;
            partition?: number;
            leader_epoch?: number;
            producer_id?: number;
            producer_epoch?: number;
            base_sequence?: number;
            record_count?: number;
            crc?: number;
            is_transactional?: boolean;
            is_duplicate?: boolean;
            marker?: string;
            coordinator_epoch?: number;
            acks?: number;
            base_offset?: number;
            last_offset?: number;
            log_start_offset?: number;
            last_stable_offset?: number;
            high_watermark?: number;
            log_end_offset?: number;
            error?: string;
            rule?: string;
            effect?: string;
            applied?: string;
            state_before?: string;
            state_after?: string;
            record_ids?: string;
            detail?: string;
        };
        /**
         * CountView
         * @description Number of matches.
         */
        CountView: {
            count: number;
        };
        /**
         * AssertionsView
         * @description All available assertions.
         */
        AssertionsView: {
            assertions: components["schemas"]["AssertionView"][];
        };
        /**
         * AssertionView
         * @description An available assertion.
         */
        AssertionView: {
            name: string;
            about: string;
            arguments: components["schemas"]["ArgumentView"][];
        };
        /**
         * ArgumentView
         * @description An argument of an assertion.
         */
        ArgumentView: {
            name: string;
            kind: string;
            about: string;
            is_required: boolean;
        };
        /**
         * OutcomeView
         * @description Result of the assertions.
         */
        OutcomeView: {
            ok: boolean;
            failures: components["schemas"]["FailureView"][];
            nothing_judged: string[];
        };
        /**
         * FailureView
         * @description An assertion that failed.
         */
        FailureView: {
            name: string;
            text: string;
        };
        /**
         * LedgerView
         * @description The ledger: a row for each batch that clients sent.
         */
        LedgerView: {
            is_on: boolean;
            is_full: boolean;
            rows: number;
            rows_max: number;
        };
        /**
         * RecordingView
         * @description What was done to the cluster since its start, or since it was reset.
         */
        RecordingView: {
            scenario: Record<string, unknown>;
            left_out: string[];
        };
        /**
         * OverviewView
         * @description Overview of a cluster: what is unusual comes first, and lists are cut.
         */
        OverviewView: {
            cluster: components["schemas"]["ClusterView"];
            brokers: components["schemas"]["BrokerView"][];
            counts: components["schemas"]["CountsView"];
            topics: components["schemas"]["TopicRow"][];
            transactions: components["schemas"]["TransactionRow"][];
            groups: components["schemas"]["GroupRow"][];
            connections: components["schemas"]["ConnectionRow"][];
            faults: components["schemas"]["FaultView"][];
            is_journal_on: boolean;
            events: components["schemas"]["EntryView"][];
        };
        /**
         * CountsView
         * @description Number of each, of which a list may show only the first.
         */
        CountsView: {
            topics: number;
            partitions: number;
            transactions: number;
            open_transactions: number;
            hanging: number;
            groups: number;
            connections: number;
            faults: number;
        };
        /**
         * TopicRow
         * @description A topic in a list.
         */
        TopicRow: {
            name: string;
            is_internal: boolean;
            partitions: number;
            records: number;
            size_bytes: number;
            behind_stable: number;
            leaderless: number;
            under_replicated: number;
            hanging: number;
        };
        /**
         * TransactionRow
         * @description A transactional id in a list, or a hanging transaction.
         */
        TransactionRow: {
            transactional_id: string | null;
            state: string;
            pending_state: string | null;
            coordinator: number | null;
            producer_id: number;
            producer_epoch: number;
            partitions: number;
            started_at_ms: number | null;
            topic: string | null;
            partition: number | null;
            first_offset: number | null;
        };
        /**
         * GroupRow
         * @description A group in a list.
         */
        GroupRow: {
            group_id: string;
            kind: string;
            state: string;
            coordinator: number;
            group_epoch: number;
            members: number;
            lag: number;
        };
        /**
         * ConnectionRow
         * @description A connection of a client.
         */
        ConnectionRow: {
            connection: number;
            broker: number;
            listener: string;
            client_id: string | null;
            principal: string;
        };
        /**
         * TopicRowsView
         * @description Topics, from one position of the list on.
         */
        TopicRowsView: {
            total: number;
            topics: components["schemas"]["TopicRow"][];
        };
        /**
         * TransactionRowsView
         * @description Transactional ids, from one position of the list on; hanging transactions come first.
         */
        TransactionRowsView: {
            total: number;
            transactions: components["schemas"]["TransactionRow"][];
        };
        /**
         * GroupRowsView
         * @description Groups, from one position of the list on.
         */
        GroupRowsView: {
            total: number;
            groups: components["schemas"]["GroupRow"][];
        };
        /**
         * TopicDetailView
         * @description A topic with a part of its partitions.
         */
        TopicDetailView: {
            name: string;
            topic_id: string;
            is_internal: boolean;
            total: number;
            partitions: components["schemas"]["PartitionView"][];
            hanging: components["schemas"]["HangingView"][];
        };
        /**
         * BatchContentView
         * @description One batch with its first records, for people: long values are cut.
         */
        BatchContentView: {
            topic: string;
            partition: number;
            batch: components["schemas"]["BatchView"];
            records: components["schemas"]["RecordView"][];
            is_cut: boolean;
        };
        /**
         * GroupDetailView
         * @description A group with at most so many members and offsets, and their numbers.
         */
        GroupDetailView: {
            group: components["schemas"]["GroupView"];
            members: number;
            offsets: number;
            lag: number;
            rows: components["schemas"]["OffsetRow"][];
        };
        /**
         * OffsetRow
         * @description A committed offset, and what comes after it.
         */
        OffsetRow: {
            topic: string;
            partition: number;
            committed: number;
            log_end_offset: number | null;
            lag: number | null;
            member_id: string | null;
        };
        /**
         * FoundView
         * @description Results of a search.
         */
        FoundView: {
            topics: string[];
            transactions: string[];
            groups: string[];
            records: components["schemas"]["FoundRecord"][];
            errors: components["schemas"]["FoundError"][];
            are_all_records_searched: boolean;
        };
        /**
         * FoundRecord
         * @description A record whose key contains the text.
         */
        FoundRecord: {
            topic: string;
            partition: number;
            offset: number;
            base_offset: number;
            key: string;
        };
        /**
         * FoundError
         * @description An entry of the journal with an error whose name contains the text.
         */
        FoundError: {
            seq: number;
            error: string;
            api: string | null;
            client_id: string | null;
            topic: string | null;
            partition: number | null;
            transactional_id: string | null;
            group: string | null;
            wall_time_ms: number;
            virtual_time_ms: number;
        };
        /**
         * ReplicaRowsView
         * @description The replicas of a partition, the preferred leader first.
         */
        ReplicaRowsView: {
            replicas: components["schemas"]["ReplicaRow"][];
        };
        /**
         * ReplicaRow
         * @description One replica, with its latest leader epochs and some of its producers.
         */
        ReplicaRow: {
            broker: number;
            is_in_sync: boolean;
            fetches: boolean;
            holds_offsets: boolean;
            log_start_offset: number;
            last_stable_offset: number;
            high_watermark: number;
            log_end_offset: number;
            leader_epochs: components["schemas"]["LeaderEpochView"][];
            epoch_count: number;
            producers: components["schemas"]["ReplicaProducerView"][];
            producer_count: number;
        };
        /**
         * ShareDetailView
         * @description The share partitions of a group, and the dead letters that are held.
         */
        ShareDetailView: {
            rows: components["schemas"]["ShareRow"][];
            total: number;
            holds_dead_letters: boolean;
            waiting: string[];
            waiting_count: number;
        };
        /**
         * ShareRow
         * @description A share partition with its first records in flight.
         */
        ShareRow: {
            share_partition: components["schemas"]["SharePartitionView"];
            in_flight_count: number;
        };
        /**
         * SessionView
         * @description Whether commands of this client are accepted.
         */
        SessionView: {
            needs_token: boolean;
            may_command: boolean;
        };
        /**
         * FaultFormView
         * @description Choices for a fault on the calls of one API, or on connections.
         */
        FaultFormView: {
            api: string;
            selectors: string[];
            connection_selectors: string[];
            effects: string[];
            toxics: string[];
            errors: string[];
            triggers: string[];
            events: string[];
            kinds: components["schemas"]["KindView"][];
            apis: string[];
        };
        /**
         * KindView
         * @description An effect, a toxic, a trigger or an event, with its fields.
         */
        KindView: {
            name: string;
            text: string;
            is_nested: boolean;
            constant: string | boolean | null;
            fields: components["schemas"]["FieldView"][];
        };
        /**
         * FieldView
         * @description A field of an effect, a toxic, a trigger or an event.
         */
        FieldView: {
            name: string;
            /** @enum {unknown} */
            kind: "choice" | "duration" | "error" | "event" | "flag" | "number" | "text";
            choices: string[];
            default: string | number | boolean | null;
            is_required: boolean;
        };
        /**
         * PictureView
         * @description A timeline as SVG, for a page with the style sheet of timelines.
         */
        PictureView: {
            svg: string;
            first_offset: number | null;
            end_offset: number | null;
            before: number;
            after: number;
            is_recorded: boolean;
            notes: string[];
        };
        /**
         * Answer
         * @description Answer with an error; nothing is applied.
         *
         *         Only what matches the fault is refused: the other partitions of the request are handled. With
         *         `top_level` the whole answer is the error. An error that no Kafka broker sends there is accepted
         *         with a `MockbrokerWarning`.
         */
        Answer: {
            answer: string | number;
            /** @default false */
            top_level?: boolean;
        };
        /**
         * ApplyThenAnswer
         * @description Apply the request, and answer with an error.
         */
        ApplyThenAnswer: {
            apply_then_answer: string | number;
            /** @default false */
            top_level?: boolean;
        };
        /**
         * Corrupt
         * @description Change a byte of the records: those of a Produce before they arrive, of a Fetch after.
         */
        Corrupt: {
            /** @constant */
            corrupt: true;
        };
        /**
         * Delay
         * @description Apply the request, and delay the response, by `250ms` for example.
         */
        Delay: {
            delay: string | number;
        };
        /**
         * DropRequest
         * @description Lose the request: nothing is applied, and there is no response.
         */
        DropRequest: {
            /** @enum {unknown} */
            drop_request: "before_apply";
            /**
             * @default disconnect
             * @enum {unknown}
             */
            how?: "disconnect" | "silence";
        };
        /**
         * Duplicate
         * @description Apply the request twice; the client gets the first response.
         */
        Duplicate: {
            /** @constant */
            duplicate: true;
        };
        /**
         * Hold
         * @description Hold the request until an event (`mockbroker.at`), for a time, or until it is released.
         *
         *         It is applied when it is released, even if its connection is gone by then. The connection
         *         serves nothing else meanwhile, unless `block_connection` is False: then the held request is
         *         never answered.
         */
        Hold: {
            /** @enum {unknown} */
            hold: "request";
            /** @default null */
            until?: string | number | components["schemas"]["Event"] | null;
            /** @default true */
            block_connection?: boolean;
        };
        /**
         * Event
         * @description The event that ends a hold, after the start of the hold: exactly one of these.
         */
        Event: components["schemas"]["Marker"] | components["schemas"]["FaultHits"] | components["schemas"]["Records"] | components["schemas"]["LogEndOffset"] | components["schemas"]["EpochBump"] | components["schemas"]["TransactionIsIn"];
        /**
         * HoldResponse
         * @description Apply the request, and hold the response until an event, or for a time.
         */
        HoldResponse: {
            /** @enum {unknown} */
            hold_response: "after_apply";
            /** @default null */
            until?: string | number | components["schemas"]["Event"] | null;
        };
        /**
         * LoseResponse
         * @description Apply the request, and lose the response.
         */
        LoseResponse: {
            /** @enum {unknown} */
            lose_response: "after_apply";
            /**
             * @default disconnect
             * @enum {unknown}
             */
            how?: "disconnect" | "silence";
        };
        /**
         * Observe
         * @description Change nothing, at every call: for `hits` and `wait`.
         */
        Observe: {
            /** @constant */
            observe: true;
        };
        /**
         * Throttle
         * @description Apply the request, and set the throttle time of the response.
         */
        Throttle: {
            throttle: string | number;
        };
        /**
         * Bandwidth
         * @description Limit a connection to this many kilobytes, of 1000 bytes, a second.
         */
        Bandwidth: {
            bandwidth: {
                rate_kb_s: number;
                /**
                 * @default downstream
                 * @enum {unknown}
                 */
                stream?: "downstream" | "upstream";
                /** @default 1 */
                toxicity?: number;
            };
        };
        /**
         * Latency
         * @description Delay bytes by `latency`, plus or minus a random part of `jitter`.
         */
        Latency: {
            latency: {
                latency: string | number;
                /** @default 0ms */
                jitter?: string | number;
                /**
                 * @default downstream
                 * @enum {unknown}
                 */
                stream?: "downstream" | "upstream";
                /** @default 1 */
                toxicity?: number;
            };
        };
        /**
         * LimitData
         * @description Close a connection after this many more bytes.
         */
        LimitData: {
            limit_data: {
                limit_bytes: number;
                /**
                 * @default downstream
                 * @enum {unknown}
                 */
                stream?: "downstream" | "upstream";
                /** @default 1 */
                toxicity?: number;
            };
        };
        /**
         * ResetPeer
         * @description Lose the next bytes, and reset the connection (RST) a time after they arrived.
         */
        ResetPeer: {
            reset_peer: {
                /** @default 0ms */
                after?: string | number;
                /**
                 * @default downstream
                 * @enum {unknown}
                 */
                stream?: "downstream" | "upstream";
                /** @default 1 */
                toxicity?: number;
            };
        };
        /**
         * Slicer
         * @description Split the data into pieces of about a size, with a delay after each.
         */
        Slicer: {
            slicer: {
                average_size: number;
                /** @default 0 */
                size_variation?: number;
                /** @default 0ms */
                delay?: string | number;
                /**
                 * @default downstream
                 * @enum {unknown}
                 */
                stream?: "downstream" | "upstream";
                /** @default 1 */
                toxicity?: number;
            };
        };
        /**
         * SlowClose
         * @description Delay the close of a connection by the broker, or upstream by the client.
         */
        SlowClose: {
            slow_close: {
                delay: string | number;
                /**
                 * @default downstream
                 * @enum {unknown}
                 */
                stream?: "downstream" | "upstream";
                /** @default 1 */
                toxicity?: number;
            };
        };
        /**
         * Timeout
         * @description Stop all data, and close the connection after a time; with 0 never.
         */
        Timeout: {
            timeout: {
                /** @default 0ms */
                timeout?: string | number;
                /**
                 * @default downstream
                 * @enum {unknown}
                 */
                stream?: "downstream" | "upstream";
                /** @default 1 */
                toxicity?: number;
            };
        };
        /**
         * Once
         * @description Fire at the first call.
         */
        Once: {
            /** @constant */
            once: true;
        };
        /**
         * Times
         * @description Fire at the first `count` calls.
         */
        Times: {
            times: number;
        };
        /**
         * OnCall
         * @description Fire at one call: `on_call(2)` at the second.
         */
        OnCall: {
            on_call: number;
        };
        /**
         * EveryTime
         * @description Fire at every call.
         */
        EveryTime: {
            /** @constant */
            every_time: true;
        };
        /**
         * WithProbability
         * @description Fire at each call with a probability; random choices use the cluster's seed.
         */
        WithProbability: {
            with_probability: number;
        };
        /**
         * Marker
         * @description A marker that ends a transaction in a partition, of any producer or of one.
         */
        Marker: {
            /** @enum {unknown} */
            marker: "abort" | "any" | "commit";
            topic: string;
            partition: number;
            /** @default null */
            producer_id?: number | null;
        };
        /**
         * FaultHits
         * @description A number of hits of another fault, or of calls that it held or released, from its start.
         */
        FaultHits: {
            fault: string;
            /** @default 1 */
            hits?: number;
            /** @default 0 */
            held?: number;
            /** @default 0 */
            released?: number;
        };
        /**
         * Records
         * @description A number of records in a topic, or in one partition of it, from the start of its log.
         */
        Records: {
            records: number;
            topic: string;
            /** @default null */
            partition?: number | null;
        };
        /**
         * LogEndOffset
         * @description A log end offset of a partition, which markers of transactions move as well.
         */
        LogEndOffset: {
            log_end_offset: number;
            topic: string;
            partition: number;
        };
        /**
         * EpochBump
         * @description A new producer epoch, or another producer id, of a transactional id.
         */
        EpochBump: {
            epoch_bump: string;
        };
        /**
         * TransactionIsIn
         * @description A state of a transactional id, named as in Kafka, such as `CompleteAbort`.
         */
        TransactionIsIn: {
            transaction_state: {
                transactional_id: string;
                state: string;
            };
        };
        /**
         * Effect
         * @description The effect on a call: exactly one of these, with its own fields.
         */
        Effect: components["schemas"]["Answer"] | components["schemas"]["ApplyThenAnswer"] | components["schemas"]["Corrupt"] | components["schemas"]["Delay"] | components["schemas"]["DropRequest"] | components["schemas"]["Duplicate"] | components["schemas"]["Hold"] | components["schemas"]["HoldResponse"] | components["schemas"]["LoseResponse"] | components["schemas"]["Observe"] | components["schemas"]["Throttle"] | components["schemas"]["Bandwidth"] | components["schemas"]["Latency"] | components["schemas"]["LimitData"] | components["schemas"]["ResetPeer"] | components["schemas"]["Slicer"] | components["schemas"]["SlowClose"] | components["schemas"]["Timeout"];
        /**
         * Trigger
         * @description Choice of the matching calls on which a fault fires.
         */
        Trigger: components["schemas"]["Once"] | components["schemas"]["Times"] | components["schemas"]["OnCall"] | components["schemas"]["EveryTime"] | components["schemas"]["WithProbability"];
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

/** The documents of the API by name. */
export type Schemas = components["schemas"];
