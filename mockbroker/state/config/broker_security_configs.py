"""The broker configs of Kafka that are about security: TLS, SASL, tokens and principals.

The columns are those of `definition.py`; facts asked of the releases that they name.
"""

from typing import Final

SECURITY_CONFIGS: Final = """
authorizer.class.name STRING "" - static *
delegation.token.expiry.check.interval.ms LONG 3600000 1.. static *
delegation.token.expiry.time.ms LONG 86400000 1.. static *
delegation.token.master.key PASSWORD null - static 2.4
delegation.token.max.lifetime.ms LONG 604800000 1.. static *
delegation.token.secret.key PASSWORD null - static 4.4
password.encoder.cipher.algorithm STRING AES/CBC/PKCS5Padding - static 2.4
password.encoder.iterations INT 4096 1024.. static 2.4
password.encoder.key.length INT 128 8.. static 2.4
password.encoder.keyfactory.algorithm STRING null - static 2.4
password.encoder.old.secret PASSWORD null - static 2.4
password.encoder.secret PASSWORD null - static 2.4
principal.builder.class CLASS null - dynamic 2.4
principal.builder.class CLASS \
    org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder - dynamic 4.4
sasl.client.callback.handler.class CLASS null - static *
sasl.enabled.mechanisms LIST GSSAPI - dynamic *
sasl.jaas.config PASSWORD null - dynamic *
sasl.kerberos.kinit.cmd STRING /usr/bin/kinit - dynamic *
sasl.kerberos.min.time.before.relogin LONG 60000 - dynamic *
sasl.kerberos.principal.to.local.rules LIST DEFAULT - dynamic *
sasl.kerberos.service.name STRING null - dynamic *
sasl.kerberos.ticket.renew.jitter DOUBLE 0.05 - dynamic *
sasl.kerberos.ticket.renew.window.factor DOUBLE 0.8 - dynamic *
sasl.login.callback.handler.class CLASS null - static *
sasl.login.class CLASS null - static *
sasl.login.connect.timeout.ms INT null - static 4.4
sasl.login.read.timeout.ms INT null - static 4.4
sasl.login.refresh.buffer.seconds SHORT 300 - dynamic *
sasl.login.refresh.min.period.seconds SHORT 60 - dynamic *
sasl.login.refresh.window.factor DOUBLE 0.8 - dynamic *
sasl.login.refresh.window.jitter DOUBLE 0.05 - dynamic *
sasl.login.retry.backoff.max.ms LONG 10000 - static 4.4
sasl.login.retry.backoff.ms LONG 100 - static 4.4
sasl.mechanism.controller.protocol STRING GSSAPI - static 4.4
sasl.mechanism.inter.broker.protocol STRING GSSAPI - dynamic *
sasl.oauthbearer.allow.unverified.audience BOOLEAN false - static 4.4
sasl.oauthbearer.allow.unverified.issuer BOOLEAN false - static 4.4
sasl.oauthbearer.assertion.algorithm STRING RS256 nocase:ES256|RS256 static 4.4
sasl.oauthbearer.assertion.claim.aud STRING null - static 4.4
sasl.oauthbearer.assertion.claim.exp.seconds INT 300 0..86400 static 4.4
sasl.oauthbearer.assertion.claim.iss STRING null - static 4.4
sasl.oauthbearer.assertion.claim.jti.include BOOLEAN false - static 4.4
sasl.oauthbearer.assertion.claim.nbf.seconds INT 60 0..3600 static 4.4
sasl.oauthbearer.assertion.claim.sub STRING null - static 4.4
sasl.oauthbearer.assertion.file STRING null - static 4.4
sasl.oauthbearer.assertion.private.key.file STRING null - static 4.4
sasl.oauthbearer.assertion.private.key.passphrase PASSWORD null - static 4.4
sasl.oauthbearer.assertion.template.file STRING null - static 4.4
sasl.oauthbearer.client.credentials.client.id STRING null - static 4.4
sasl.oauthbearer.client.credentials.client.secret PASSWORD null - static 4.4
sasl.oauthbearer.clock.skew.seconds INT 30 - static 4.4
sasl.oauthbearer.expected.audience LIST "" - static 4.4
sasl.oauthbearer.expected.issuer STRING null - static 4.4
sasl.oauthbearer.jwks.endpoint.refresh.ms LONG 3600000 - static 4.4
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms LONG 10000 - static 4.4
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms LONG 100 - static 4.4
sasl.oauthbearer.jwks.endpoint.url STRING null - static 4.4
sasl.oauthbearer.jwt.retriever.class CLASS \
    org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever - static 4.4
sasl.oauthbearer.jwt.validator.class CLASS \
    org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator - static 4.4
sasl.oauthbearer.scope STRING null - static 4.4
sasl.oauthbearer.scope.claim.name STRING scope - static 4.4
sasl.oauthbearer.sub.claim.name STRING sub - static 4.4
sasl.oauthbearer.token.endpoint.url STRING null - static 4.4
sasl.server.callback.handler.class CLASS null - static *
sasl.server.max.receive.size INT 524288 - static 4.4
security.inter.broker.protocol STRING PLAINTEXT - static 2.4
security.inter.broker.protocol STRING PLAINTEXT PLAINTEXT|SSL|SASL_PLAINTEXT|SASL_SSL static 4.4
security.providers STRING null - static *
ssl.allow.dn.changes BOOLEAN false - static 4.4
ssl.allow.san.changes BOOLEAN false - static 4.4
ssl.cipher.suites LIST "" - dynamic *
ssl.client.auth STRING none required|requested|none dynamic *
ssl.enabled.protocols LIST TLSv1.2,TLSv1.1,TLSv1 - dynamic 2.4
ssl.enabled.protocols LIST TLSv1.2,TLSv1.3 - dynamic 4.4
ssl.endpoint.identification.algorithm STRING https - dynamic *
ssl.engine.factory.class CLASS null - dynamic 4.4
ssl.key.password PASSWORD null - dynamic *
ssl.keymanager.algorithm STRING SunX509 - dynamic *
ssl.keystore.certificate.chain PASSWORD null - dynamic 4.4
ssl.keystore.key PASSWORD null - dynamic 4.4
ssl.keystore.location STRING null - dynamic *
ssl.keystore.password PASSWORD null - dynamic *
ssl.keystore.type STRING JKS - dynamic *
ssl.principal.mapping.rules STRING DEFAULT - static *
ssl.protocol STRING TLS - dynamic 2.4
ssl.protocol STRING TLSv1.3 - dynamic 4.4
ssl.provider STRING null - dynamic *
ssl.secure.random.implementation STRING null - dynamic *
ssl.trustmanager.algorithm STRING PKIX - dynamic *
ssl.truststore.certificates PASSWORD null - dynamic 4.4
ssl.truststore.location STRING null - dynamic *
ssl.truststore.password PASSWORD null - dynamic *
ssl.truststore.type STRING JKS - dynamic *
"""
