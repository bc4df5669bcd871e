import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Asks about ACLs and tokens, sets quotas and gives credentials, and prints what came of each.
 *
 * <p>Arguments: BOOTSTRAP USER.
 */
public final class RightsAndQuotas {
    private RightsAndQuotas() {}

    public static void main(String[] arguments) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            askForRights(admin, arguments[1]);
            setQuotas(admin, arguments[1]);
            giveCredentials(admin, arguments[1]);
        }
    }

    private static void askForRights(Admin admin, String user) {
        AclBinding acl =
                new AclBinding(
                        new ResourcePattern(ResourceType.TOPIC, "t", PatternType.LITERAL),
                        new AccessControlEntry(
                                "User:" + user, "*", AclOperation.READ, AclPermissionType.ALLOW));
        say("describe ACLs", admin.describeAcls(AclBindingFilter.ANY).values());
        say("create an ACL", admin.createAcls(List.of(acl)).all());
        say("delete ACLs", admin.deleteAcls(List.of(AclBindingFilter.ANY)).all());
        say("create a token", admin.createDelegationToken().delegationToken());
        say("describe tokens", admin.describeDelegationToken().delegationTokens());
    }

    private static void setQuotas(Admin admin, String user) {
        ClientQuotaEntity entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.USER, user));
        ClientQuotaFilter filter =
                ClientQuotaFilter.containsOnly(
                        List.of(
                                org.apache.kafka.common.quota.ClientQuotaFilterComponent.ofEntity(
                                        ClientQuotaEntity.USER, user)));
        for (Double value : new Double[] {1e9, -1.0, null}) {
            ClientQuotaAlteration.Op change =
                    new ClientQuotaAlteration.Op("producer_byte_rate", value);
            say(
                    "set a quota of " + value,
                    admin.alterClientQuotas(
                                    List.of(new ClientQuotaAlteration(entity, List.of(change))))
                            .all());
            say("describe quotas", admin.describeClientQuotas(filter).entities());
        }
    }

    private static void giveCredentials(Admin admin, String user) {
        for (int iterations : new int[] {8192, 1}) {
            ScramCredentialInfo info =
                    new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, iterations);
            say(
                    "give a credential of " + iterations,
                    admin.alterUserScramCredentials(
                                    List.of(new UserScramCredentialUpsertion(user, info, "secret")))
                            .all());
        }
        say(
                "describe credentials",
                admin.describeUserScramCredentials(List.of(user)).description(user));
        say(
                "take a credential",
                admin.alterUserScramCredentials(
                                List.of(
                                        new UserScramCredentialDeletion(
                                                user, ScramMechanism.SCRAM_SHA_256)))
                        .all());
        say(
                "describe no credentials",
                admin.describeUserScramCredentials(List.of(user)).description(user));
    }

    private static void say(String what, KafkaFuture<?> future) {
        try {
            System.out.println(what + ": " + future.get());
        } catch (ExecutionException refusal) {
            Throwable cause = refusal.getCause();
            System.out.println(
                    what + ": " + cause.getClass().getSimpleName() + ": " + cause.getMessage());
        } catch (InterruptedException end) {
            throw new IllegalStateException(end);
        }
    }
}
