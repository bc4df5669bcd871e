"""Faults: names of APIs and errors, selectors, and verbs."""

from mockbroker import API, ERR, ApiName, Cluster, Duration, ErrorName, Fault, at


def broken(cluster: Cluster, api: ApiName, error: ErrorName, patience: Duration) -> Fault:
    fault = cluster.fault(api).answer(error)
    fault.wait(timeout=patience)
    return fault


def right(cluster: Cluster) -> int:
    lost = cluster.fault("Produce", topic="orders", partition=[0, 1]).lose_response().once()
    cluster.fault(API.END_TXN, transactional_id={"orders-svc", "billing-*"}).answer(
        ERR.NOT_COORDINATOR
    )
    cluster.fault(["Fetch", API.LIST_OFFSETS], client_id="app").answer("NOT_LEADER_OR_FOLLOWER")
    cluster.fault("PRODUCE", version=9).hold(until=at.fault(lost), block_connection=False)
    cluster.fault(broker=1, listener="PLAINTEXT").latency("200ms", jitter="50ms", toxicity=0.3)
    cluster.fault(when=lambda call: call.version > 3, name="new", between_brokers=True).observe()
    cluster.assert_error_handled("PRODUCER_FENCED", as_="fatal")
    first = cluster.faults[0]
    cluster.faults.clear()
    return cluster.journal.count("EndTxn") + first.hits + sum(f.hits for f in cluster.faults)


def wrong(cluster: Cluster) -> None:
    broken(cluster, "Produce", "NOT_COORDINATOR", "10s")
    broken(cluster, "Prodce", "NOT_COORDINATOR", "10s")  # refused
    broken(cluster, "Produce", "NOT_COORDINATR", "10s")  # refused
    cluster.fault("Prodce")  # refused
    cluster.fault(["Produce", "Fetsch"])  # refused
    cluster.fault("Produce", topics="orders")  # refused
    cluster.fault("Produce", topic=7)  # refused
    cluster.fault("Produce", partition="0")  # refused
    cluster.fault("Produce", between_brokers="yes")  # refused
    cluster.fault("Produce").answer("NOPE")  # refused
    cluster.fault("Produce").apply_then_answer("not coordinator")  # refused
    cluster.fault("Produce").answer("NOT_COORDINATOR", toplevel=True)  # refused
    cluster.fault("Produce").lose_response("slowly")  # refused
    cluster.fault("Produce").latency("1s", stream="sideways")  # refused
    cluster.fault("Produce").times("3")  # refused
    cluster.faults.append(cluster.fault("Produce"))  # refused
    cluster.assert_error_handled("PRODUCER_FENCE", as_="fatal")  # refused
    cluster.journal.count("EndTx")  # refused
