"""Mishaps in a simulation: faults, elections, moved coordinators, clock jumps, cut connections."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from mockbroker import at
from mockbroker.control.broker_control import BrokerInfo
from mockbroker.faults.fault import Fault
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.leader_election import ProducerState
from tests.simulation.edges import lose_a_window, refuse_appends
from tests.simulation.fault_errors import (
    ERRORS,
    ERRORS_OF_MEMBERS,
    ERRORS_OF_SHARE_CONSUMERS,
)
from tests.simulation.processor import GROUP as PROCESSORS
from tests.simulation.share_session import SHARE_GROUP
from tests.simulation.sharer import GROUP as SHARERS
from tests.simulation.world import World
from tests.support.in_process import NOW_MS

Mishap: TypeAlias = Callable[[World], None]

HOUR_MS: Final = 3_600_000
_JUMPS_MS: Final = (50, 500, 5_000, 20_000, 70_000, 2 * HOUR_MS, 30 * HOUR_MS, 200 * HOUR_MS)
_PRODUCER_STATES: Final[Sequence[ProducerState]] = ("full", "full", "from_snapshot", "from_log")


def fault(world: World) -> None:
    """Create a fault: any effect, on any of the APIs, with any trigger."""
    api = world.random.choice(list(_errors(world)))
    if api is ApiKey.PRODUCE and world.random.random() < 0.3:
        made = world.cluster.fault(api, partition=world.random.randrange(world.partitions))
    elif world.random.random() < 0.3:
        made = world.cluster.fault(api, broker=world.random.choice(world.broker_ids))
    else:
        made = world.cluster.fault(api)
    world.random.choice(_EFFECTS)(world, made, api)
    _trigger(world, made)
    world.note(f"fault {made.state}")


def _errors(world: World) -> Mapping[ApiKey, Sequence[ErrorCode]]:
    of_consumers = {} if world.share_watch is None else ERRORS_OF_SHARE_CONSUMERS
    return {**ERRORS, **ERRORS_OF_MEMBERS[world.sharing], **of_consumers}


def _answer(world: World, made: Fault, api: ApiKey) -> None:
    made.answer(world.random.choice(_errors(world)[api]))


def _apply_then_answer(world: World, made: Fault, api: ApiKey) -> None:
    made.apply_then_answer(world.random.choice(_errors(world)[api]))


def _lose(world: World, made: Fault, _api: ApiKey) -> None:
    made.lose_response(world.random.choice(("disconnect", "silence")))


def _drop(world: World, made: Fault, _api: ApiKey) -> None:
    made.drop_request(world.random.choice(("disconnect", "silence")))


def _hold(world: World, made: Fault, _api: ApiKey) -> None:
    index = world.random.randrange(world.partitions)
    until = world.random.choice(
        ("500ms", "3s", None, at.abort_marker("orders", index), at.commit_marker("orders", index))
    )
    made.hold(until, block_connection=world.random.random() < 0.7)


def _hold_response(world: World, made: Fault, _api: ApiKey) -> None:
    made.hold_response(world.random.choice(("100ms", "3s", None)))


def _duplicate(_world: World, made: Fault, _api: ApiKey) -> None:
    made.duplicate()


def _corrupt(_world: World, made: Fault, api: ApiKey) -> None:
    if api is ApiKey.PRODUCE:
        made.corrupt()
    else:
        made.delay("50ms")


_EFFECTS: Final[Sequence[Callable[[World, Fault, ApiKey], None]]] = (
    _answer,
    _apply_then_answer,
    _lose,
    _drop,
    _hold,
    _hold,
    _hold_response,
    _duplicate,
    _corrupt,
)


def _trigger(world: World, made: Fault) -> None:
    match world.random.randrange(4):
        case 0:
            made.times(2)
        case 1:
            made.on_call(2)
        case 2:
            made.with_probability(0.2)
        case _:
            made.once()


def elect(world: World) -> None:
    """Elect another leader of a partition of `orders`, with the complete log and producer state."""
    index = world.random.randrange(world.partitions)
    producer_state = world.random.choice(_PRODUCER_STATES)
    with suppress(ValueError):  # where the next in turn was killed, or all were
        leader_id = world.cluster.partition("orders", index).elect(producer_state=producer_state)
        world.note(f"orders-{index} is led by {leader_id}, producer_state={producer_state}")


def move_coordinator(world: World) -> None:
    """Move a coordinator, which then has to load its state."""
    groups = [PROCESSORS]
    if world.sharing:
        groups.append(SHARERS)
    if world.share_watch is not None:
        groups.append(SHARE_GROUP)
    name = world.random.choice(("tx-0", "tx-1", "processor", *groups))
    with suppress(LookupError, ValueError):
        if name in groups:
            to = world.cluster.move_coordinator(group=name)
        else:
            to = world.cluster.move_coordinator(name)
        world.note(f"{name} is coordinated by {to}")


def hold_ending(world: World) -> None:
    """Hold a transaction in PrepareCommit or PrepareAbort, or release a held one."""
    handle = world.cluster.transaction(world.random.choice(("tx-0", "tx-1", "processor")))
    with suppress(LookupError):
        match world.random.randrange(3):
            case 0:
                handle.hold_ending()
            case 1:
                world.note(f"{handle} steps: {handle.step()}")
            case _:
                handle.release()


def let_time_pass(world: World) -> None:
    """Advance the clock: by moments, or beyond transaction timeouts and expiry of producer ids."""
    by_ms = world.random.choice(_JUMPS_MS)
    if by_ms >= HOUR_MS:
        for made in world.cluster.faults:
            made.remove()
        world.jumps += 1
    passed = world.cluster.clock.advance(f"{by_ms}ms")
    world.note(f"{by_ms} ms pass at once: {', '.join(passed.done[:5])}")


def cut(world: World) -> None:
    """Close the connections of a client."""
    world.cut_somebody_off()


def delete_records(world: World) -> None:
    """Move the log start offset to any offset below the high watermark."""
    index = world.random.randrange(world.partitions)
    log = world.brokers.state.log_of(world.brokers.partition("orders", index), NOW_MS)
    if log.last_stable_offset > log.log_start_offset:
        before = world.random.randint(log.log_start_offset, log.last_stable_offset)
        world.lets_go_of_values(index, before)
        world.cluster.partition("orders", index).delete_records(before)
        world.note(f"orders-{index} begins at {before}")


def kill_or_start(world: World) -> None:
    """Kill a broker or stop it, or restart one that is down."""
    broker = world.random.choice(world.cluster.brokers)
    if not bring_back(world, broker):
        end = world.random.choice((world.cluster.kill, world.cluster.stop_broker))
        end(broker.broker_id)
    world.note(f"broker {broker.broker_id}, which was {broker.state}, is not any more")


def isolate_or_rejoin(world: World) -> None:
    """Isolate a broker from the others, though not from its clients; or let it rejoin."""
    broker = world.random.choice(world.cluster.brokers)
    if not bring_back(world, broker):
        world.cluster.isolate(broker.broker_id)
    world.note(f"broker {broker.broker_id}, which was {broker.state}, is not any more")


def bring_back(world: World, broker: BrokerInfo) -> bool:
    """Restart or rejoin an unavailable broker; return whether there was one."""
    match broker.state:
        case BrokerState.KILLED | BrokerState.STOPPED:
            world.cluster.start(broker.broker_id)
        case BrokerState.ISOLATED:
            world.cluster.rejoin(broker.broker_id)
        case _:
            return False
    return True


def let_replicas_lag(world: World) -> None:
    """Let a replica lag, fall out of sync, or catch up."""
    partition = world.cluster.partition("orders", world.random.randrange(world.partitions))
    followers = [each for each in partition.replicas if each != partition.leader]
    if not followers:
        return
    follower = world.random.choice(followers)
    with suppress(ValueError):  # where its broker is away
        match world.random.randrange(3):
            case 0:
                partition.lag(follower)
            case 1:
                partition.lose_replica(follower)
            case _:
                partition.catch_up()
        world.note(f"{partition} is in sync on {partition.in_sync_replicas}")


def let_broker_lag(world: World) -> None:
    """Let all replicas of a broker lag, or catch up."""
    broker_id = world.random.choice(world.cluster.brokers).broker_id
    act = world.random.choice((world.cluster.lag, world.cluster.catch_up))
    act(broker_id)
    world.note(f"broker {broker_id}: {act.__name__}")


def let_replicas_differ(world: World) -> None:
    """Let a follower's producers be those after a restart, or hold back its offsets."""
    partition = world.cluster.partition("orders", world.random.randrange(world.partitions))
    followers = [each for each in partition.replicas if each != partition.leader]
    if followers:
        replica = partition.replica(world.random.choice(followers))
        with suppress(ValueError):  # of the leader that is away, while nobody leads
            acts = (replica.reload_producers, replica.hold_offsets, replica.release_offsets)
            act = world.random.choice(acts)
            act()
            world.note(f"{replica}: {act.__name__}")


def elect_with_less_of_the_log(world: World) -> None:
    """Elect a leader without the unacknowledged records after the high watermark."""
    index = world.random.randrange(world.partitions)
    partition = world.cluster.partition("orders", index)
    with suppress(ValueError):
        end = partition.log_end_offset
        partition.elect(log="truncate")
        world.note(f"{partition} is cut from {end} to {partition.log_end_offset}")


def expire_transactional_id(world: World) -> None:
    """Expire a transactional id without an open transaction."""
    with suppress(LookupError, ValueError):
        world.cluster.expire_transactional_id(world.random.choice(("tx-0", "tx-1")))
        world.note("a transactional id has expired")


def move_share_coordinator(world: World) -> None:
    """Move a coordinator of the share group's states, which then has to load them."""
    index = world.random.randrange(world.partitions)
    with suppress(LookupError, ValueError):  # before the group begins, or if its broker is away
        world.cluster.group(SHARE_GROUP).move_share_coordinator("orders", index)


def expire_locks(world: World) -> None:
    """Let all acquisition locks of a partition expire."""
    index = world.random.randrange(world.partitions)
    with suppress(LookupError, ValueError):
        number = world.cluster.group(SHARE_GROUP).expire_locks("orders", index)
        world.note(f"the locks of {number} records of orders-{index} expire")


_WEIGHTED: Final[Mapping[Mishap, int]] = {
    fault: 14,
    elect: 3,
    move_coordinator: 3,
    hold_ending: 2,
    let_time_pass: 2,
    cut: 2,
    delete_records: 1,
    kill_or_start: 3,
    isolate_or_rejoin: 3,
    let_replicas_lag: 3,
    let_broker_lag: 2,
    let_replicas_differ: 2,
    elect_with_less_of_the_log: 2,
    expire_transactional_id: 1,
    refuse_appends: 4,
    lose_a_window: 1,
}

MISHAPS_OF_PLANS: Final[Mapping[Mishap, int]] = {
    **_WEIGHTED,
    move_share_coordinator: 4,
    expire_locks: 1,
}


def any_mishap(world: World) -> None:
    """Cause a random mishap."""
    weighted = _WEIGHTED if world.share_watch is None else MISHAPS_OF_PLANS
    has = world.plan.has
    weights = [weight * has(feature_of(each), True) for each, weight in weighted.items()]
    if any(weights):
        (mishap,) = world.random.choices(list(weighted), weights)
        mishap(world)


def feature_of(mishap: Mishap) -> str:
    """Return the feature of simulations that have a mishap."""
    return mishap.__name__.replace("_", " ")


def heal(world: World) -> None:
    """Undo all mishaps, and abort hanging transactions."""
    world.refusals.clear()
    for broker in world.cluster.brokers:
        bring_back(world, broker)
    for broker in world.cluster.brokers:
        world.cluster.catch_up(broker.broker_id)
    for partition in (world.cluster.partition("orders", each) for each in range(world.partitions)):
        for broker_id in partition.replicas:
            partition.replica(broker_id).release_offsets()
    world.catch_up()
    for made in world.cluster.faults:
        made.remove()
    for transactional_id in ("tx-0", "tx-1", "processor"):
        with suppress(LookupError):
            world.cluster.transaction(transactional_id).release()
    world.brokers.pass_time(1_000)
    for _ in range(2):
        world.cluster.clock.advance(f"{2 * world.transaction_timeout_ms}ms")
        world.brokers.loop.run()
        world.brokers.pass_time(1_000)
