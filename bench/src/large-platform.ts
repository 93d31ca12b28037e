import { demo, demoWorld, startChatSim } from '@rolecall/chat-sim'

/** The simulated chat platform with MEMBERS people in its main server, in a process of its own. */
const world = demoWorld()
const members = Number(process.env['MEMBERS'] ?? 50_000)
world.bulkMembers(demo.mainGuildId, members, [demo.roles.crew, demo.roles.deckhand, demo.roles.guest])
const sim = await startChatSim({ world })
process.send?.({ apiUrl: sim.apiUrl, authorizeUrl: sim.authorizeUrl, botToken: sim.app.botToken })
