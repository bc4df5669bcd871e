"""Initial configs of a cluster: the user's, over mockbroker's defaults, over Kafka's."""

from collections.abc import Mapping, Sequence

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.configuration_control import pin_min_insync_replicas
from mockbroker.state.config.own_configs import broker_identity, product_defaults
from mockbroker.state.release.options import Options


def initial_configs(
    options: Options,
    broker_ids: Sequence[int],
    configs: Mapping[str, str],
    configs_by_broker: Mapping[int, Mapping[str, str]],
) -> ConfigRepository:
    """Return a cluster's configs from those for all brokers and those for single ones."""
    release = options.release
    by_broker = {
        node_id: broker_identity(release, node_id) | dict(configs_by_broker.get(node_id, {}))
        for node_id in broker_ids
    }
    repository = ConfigRepository(
        release,
        product_defaults(release, len(broker_ids)) | dict(configs),
        by_broker,
        keeps_old_message_formats=options.keeps_old_message_formats,
    )
    if options.elr_pins_min_insync_replicas:
        pin_min_insync_replicas(repository)
    return repository
