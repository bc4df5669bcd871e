// A producer continues after its transactional id has expired: docs/stories/expired-id.md.
// `mockbroker run -- node expired-id.js` sets the addresses of the brokers and the admin API in the environment.
const assert = require('node:assert')
const { Kafka, logLevel } = require('kafkajs')

const brokers = process.env.KAFKA_BOOTSTRAP_SERVERS.split(',')
const admin = `${process.env.MOCKBROKER_ADMIN}/api/v1`

async function call(method, path, body) {
  const response = await fetch(admin + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const answer = await response.json()
  assert.ok(response.ok, JSON.stringify(answer))
  return answer
}

async function main() {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 1 } })
  const producer = kafka.producer({ transactionalId: 'orders-svc', maxInFlightRequests: 1, idempotent: true })
  await producer.connect()
  const first = await producer.transaction()
  await first.send({ topic: 'orders', messages: [{ value: 'order-1' }] })
  await first.commit()

  // Programs in other languages make faults over HTTP, with the names of the Python API.
  await call('POST', '/faults', {
    id: 'seen',
    match: { api: 'AddPartitionsToTxn', transactional_id: 'orders-svc' },
    effect: { observe: true },
  })
  const passed = await call('POST', '/clock/advance', { by: '8d' })
  assert.deepStrictEqual(passed.transactional_ids, ['orders-svc'])

  const second = await producer.transaction()
  await assert.rejects(
    second.send({ topic: 'orders', messages: [{ value: 'order-2' }] }),
    (error) => /mapped to|INVALID_PRODUCER_ID_MAPPING/.test(String(error) + String(error.cause) + error.type),
  )
  const seen = await call('GET', '/faults/seen/wait?hits=1&timeout=30s')
  assert.ok(seen.hits >= 1)
  await producer.disconnect()
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
