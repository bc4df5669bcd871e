"""Kafka's broker configs for security: TLS, SASL, tokens and principals.

`definition.py` describes the columns. The values were read from the releases in the last column.
"""

from typing import Final

AUTHORIZER_CLASS: Final = "authorizer.class.name"

SECURITY_CONFIGS: Final = """
authorizer.class.name STRING "" - static *
delegation.token.expiry.check.interval.ms LONG 3600000 1.. static 1.1..
delegation.token.expiry.time.ms LONG 86400000 1.. static 1.1..
delegation.token.master.key PASSWORD null - static 1.1..3.9
delegation.token.max.lifetime.ms LONG 604800000 1.. static 1.1..
delegation.token.secret.key PASSWORD null - static 2.8..
password.encoder.cipher.algorithm STRING AES/CBC/PKCS5Padding - static 1.1..3.9
password.encoder.iterations INT 4096 1024.. static 1.1..3.9
password.encoder.key.length INT 128 8.. static 1.1..3.9
password.encoder.keyfactory.algorithm STRING null - static 1.1..3.9
password.encoder.old.secret PASSWORD null - static 1.1..3.9
password.encoder.secret PASSWORD null - static 1.1..3.9
principal.builder.class CLASS org.apache.kafka.common.security.auth.DefaultPrincipalBuilder - \
    static 0.11
principal.builder.class CLASS null - static 1.0
principal.builder.class CLASS null - dynamic 1.1..2.8
principal.builder.class CLASS \
    org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder - dynamic 3.6..
sasl.client.callback.handler.class CLASS null - static 2.3..
sasl.enabled.mechanisms LIST GSSAPI - static 0.11..1.0
sasl.enabled.mechanisms LIST GSSAPI - dynamic 1.1..
sasl.jaas.config PASSWORD null - dynamic 1.1..
sasl.kerberos.kinit.cmd STRING /usr/bin/kinit - static 0.11..1.0
sasl.kerberos.kinit.cmd STRING /usr/bin/kinit - dynamic 1.1..
sasl.kerberos.min.time.before.relogin LONG 60000 - static 0.11..1.0
sasl.kerberos.min.time.before.relogin LONG 60000 - dynamic 1.1..
sasl.kerberos.principal.to.local.rules LIST DEFAULT - static 0.11..1.0
sasl.kerberos.principal.to.local.rules LIST DEFAULT - dynamic 1.1..
sasl.kerberos.service.name STRING null - static 0.11..1.0
sasl.kerberos.service.name STRING null - dynamic 1.1..
sasl.kerberos.ticket.renew.jitter DOUBLE 0.05 - static 0.11..1.0
sasl.kerberos.ticket.renew.jitter DOUBLE 0.05 - dynamic 1.1..
sasl.kerberos.ticket.renew.window.factor DOUBLE 0.8 - static 0.11..1.0
sasl.kerberos.ticket.renew.window.factor DOUBLE 0.8 - dynamic 1.1..
sasl.login.callback.handler.class CLASS null - static 2.3..
sasl.login.class CLASS null - static 2.3..
sasl.login.connect.timeout.ms INT null - static 3.6..
sasl.login.read.timeout.ms INT null - static 3.6..
sasl.login.refresh.buffer.seconds SHORT 300 - dynamic 2.3..
sasl.login.refresh.min.period.seconds SHORT 60 - dynamic 2.3..
sasl.login.refresh.window.factor DOUBLE 0.8 - dynamic 2.3..
sasl.login.refresh.window.jitter DOUBLE 0.05 - dynamic 2.3..
sasl.login.retry.backoff.max.ms LONG 10000 - static 3.6..
sasl.login.retry.backoff.ms LONG 100 - static 3.6..
sasl.mechanism.controller.protocol STRING GSSAPI - internal 2.8
sasl.mechanism.controller.protocol STRING GSSAPI - static 3.6..
sasl.mechanism.inter.broker.protocol STRING GSSAPI - static 0.11..1.0
sasl.mechanism.inter.broker.protocol STRING GSSAPI - dynamic 1.1..
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
sasl.oauthbearer.clock.skew.seconds INT 30 - static 3.6..
sasl.oauthbearer.expected.audience LIST null - static 3.6..3.9
sasl.oauthbearer.expected.audience LIST "" - static 4.4
sasl.oauthbearer.expected.issuer STRING null - static 3.6..
sasl.oauthbearer.jwks.endpoint.refresh.ms LONG 3600000 - static 3.6..
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms LONG 10000 - static 3.6..
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms LONG 100 - static 3.6..
sasl.oauthbearer.jwks.endpoint.url STRING null - static 3.6..
sasl.oauthbearer.jwt.retriever.class CLASS \
    org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever - static 4.4
sasl.oauthbearer.jwt.validator.class CLASS \
    org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator - static 4.4
sasl.oauthbearer.scope STRING null - static 4.4
sasl.oauthbearer.scope.claim.name STRING scope - static 3.6..
sasl.oauthbearer.sub.claim.name STRING sub - static 3.6..
sasl.oauthbearer.token.endpoint.url STRING null - static 3.6..
sasl.server.callback.handler.class CLASS null - static 2.3..
sasl.server.max.receive.size INT 524288 - static 2.8..
security.inter.broker.protocol STRING PLAINTEXT - static ..2.8
security.inter.broker.protocol STRING PLAINTEXT PLAINTEXT|SSL|SASL_PLAINTEXT|SASL_SSL static 3.6..
security.providers STRING null - static 2.4..
ssl.allow.dn.changes BOOLEAN false - static 3.9..
ssl.allow.san.changes BOOLEAN false - static 3.9..
ssl.cipher.suites LIST null - static 0.11..1.0
ssl.cipher.suites LIST "" - dynamic 1.1..
ssl.client.auth STRING none required|requested|none static 0.11..1.0
ssl.client.auth STRING none required|requested|none dynamic 1.1..
ssl.enabled.protocols LIST TLSv1.2,TLSv1.1,TLSv1 - static 0.11..1.0
ssl.enabled.protocols LIST TLSv1.2,TLSv1.1,TLSv1 - dynamic 1.1..2.4
ssl.enabled.protocols LIST TLSv1.2 - dynamic 2.5
ssl.enabled.protocols LIST TLSv1.2,TLSv1.3 - dynamic 2.8..
ssl.endpoint.identification.algorithm STRING null - static 0.11..1.0
ssl.endpoint.identification.algorithm STRING null - dynamic 1.1
ssl.endpoint.identification.algorithm STRING https - dynamic 2.3..
ssl.engine.factory.class CLASS null - dynamic 2.8..
ssl.key.password PASSWORD null - static 0.11..1.0
ssl.key.password PASSWORD null - dynamic 1.1..
ssl.keymanager.algorithm STRING SunX509 - static 0.11..1.0
ssl.keymanager.algorithm STRING SunX509 - dynamic 1.1..
ssl.keystore.certificate.chain PASSWORD null - dynamic 2.8..
ssl.keystore.key PASSWORD null - dynamic 2.8..
ssl.keystore.location STRING null - static 0.11..1.0
ssl.keystore.location STRING null - dynamic 1.1..
ssl.keystore.password PASSWORD null - static 0.11..1.0
ssl.keystore.password PASSWORD null - dynamic 1.1..
ssl.keystore.type STRING JKS - static 0.11..1.0
ssl.keystore.type STRING JKS - dynamic 1.1..
ssl.principal.mapping.rules LIST DEFAULT - static 2.3
ssl.principal.mapping.rules STRING DEFAULT - static 2.4..
ssl.protocol STRING TLS - static 0.11..1.0
ssl.protocol STRING TLS - dynamic 1.1..2.4
ssl.protocol STRING TLSv1.2 - dynamic 2.5
ssl.protocol STRING TLSv1.3 - dynamic 2.8..
ssl.provider STRING null - static 0.11..1.0
ssl.provider STRING null - dynamic 1.1..
ssl.secure.random.implementation STRING null - static 0.11..1.0
ssl.secure.random.implementation STRING null - dynamic 1.1..
ssl.trustmanager.algorithm STRING PKIX - static 0.11..1.0
ssl.trustmanager.algorithm STRING PKIX - dynamic 1.1..
ssl.truststore.certificates PASSWORD null - dynamic 2.8..
ssl.truststore.location STRING null - static 0.11..1.0
ssl.truststore.location STRING null - dynamic 1.1..
ssl.truststore.password PASSWORD null - static 0.11..1.0
ssl.truststore.password PASSWORD null - dynamic 1.1..
ssl.truststore.type STRING JKS - static 0.11..1.0
ssl.truststore.type STRING JKS - dynamic 1.1..
"""
