import { randomBytes } from 'node:crypto'
import fastifyCookie, { Signer } from '@fastify/cookie'
import fastifySession, { type SessionStore } from '@fastify/session'
import fastify from 'fastify'
import { Redis } from 'ioredis'
import { port, profileOf, redisUrl, sessions, writeCredentials } from './credentials.ts'

/**
 * A peer of the benchmark: Fastify with `@fastify/session` (its counterpart of express-session) and its sessions in
 * Redis. As in production, an unchanged session is not written again (`rolling: false`), and clients do not get empty
 * sessions.
 */
declare module 'fastify' {
  interface Session {
    member?: ReturnType<typeof profileOf>
  }
}

const redis = new Redis(redisUrl, { enableAutoPipelining: true })
const keyOf = (id: string) => `sess:${id}`
const lifetimeSec = 86_400

const store: SessionStore = {
  get(id, done) {
    redis.get(keyOf(id)).then(
      (text) => done(null, text ? JSON.parse(text) : null),
      (error: unknown) => done(error),
    )
  },
  set(id, session, done) {
    redis.setex(keyOf(id), lifetimeSec, JSON.stringify(session)).then(() => done(), done)
  },
  destroy(id, done) {
    redis.del(keyOf(id)).then(() => done(), done)
  },
}

const signer = new Signer('a secret of the bench that is long enough')
const app = fastify({ logger: false })
await app.register(fastifyCookie)
await app.register(fastifySession, {
  secret: signer,
  store,
  rolling: false,
  saveUninitialized: false,
  cookie: { secure: false, maxAge: lifetimeSec * 1_000 },
})
app.get('/me', (request, reply) => {
  const { member } = request.session
  if (!member) return reply.code(401).send({ error: 'not signed in' })
  return member
})

const credentials: string[] = []
const cookie = { originalMaxAge: lifetimeSec * 1_000, path: '/', httpOnly: true, secure: false }
for (let i = 0; i < sessions; i += 1_000) {
  const batch = redis.pipeline()
  for (let j = i; j < Math.min(i + 1_000, sessions); j++) {
    const id = randomBytes(24).toString('base64url')
    const expires = new Date(Date.now() + lifetimeSec * 1_000)
    batch.setex(
      keyOf(id),
      lifetimeSec,
      JSON.stringify({ cookie: { ...cookie, expires }, member: profileOf(j) }),
    )
    credentials.push(`sessionId=${encodeURIComponent(signer.sign(id))}`)
  }
  await batch.exec()
}
writeCredentials(credentials)
await app.listen({ host: '127.0.0.1', port })
