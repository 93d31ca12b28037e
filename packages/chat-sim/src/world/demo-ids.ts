/** The IDs of the demo world, by name. */
export const demo = {
  clientId: '1019553485861027842',
  clientSecret: 'chat-sim_client-secret_not-a-real-one',
  botToken: 'chat-sim.bot-token.not-a-real-one',
  /** "Harbour Club". */
  mainGuildId: '1100089314336833537',
  /** "Harbour Games". */
  gamesGuildId: '1114278299418361865',
  /** "Steward" of the Harbour Club. */
  adminRoleId: '1100093797636898817',
  roles: {
    steward: '1100093797636898817',
    captain: '1100094049760706562',
    crew: '1100094301884514307',
    deckhand: '1100094554008322052',
    guest: '1100094806132129797',
    /** Managed by the platform for the bot; it cannot be given or taken. */
    bot: '1100095058255937542',
    /** Port and starboard watch have the same position. */
    portWatch: '1100095310379745287',
    starboardWatch: '1100095562503553032',
    /** Has no color. */
    quiet: '1100095814627360777',
  },
  gamesRoles: {
    gameMaster: '1114282289258430465',
    player: '1114282540916670466',
    bot: '1114282792574910467',
  },
  users: {
    /** Steward of the club, and in both servers. */
    mara: '147411382252470273',
    /** Captain, port watch; in both servers. */
    joon: '309225754963607560',
    /** Crew, with a nickname. */
    ada: '480844663499128837',
    /** Deckhand, starboard watch. */
    tomas: '539414585451610130',
    /** A name written from right to left. */
    yusra: '642023794260705282',
    /** Only in the second server. */
    noor: '688675146575249412',
    /** In no server. */
    emil: '728011683083190274',
    /** Has no email address. */
    rosa: '764449655252713475',
    /** Email address not verified. */
    kenji: '780672980903657479',
    /** Has not passed membership screening. */
    layla: '784837788334948353',
    /** Banned from the club. */
    viktor: '790675042659860486',
    /** No picture, no display name, no roles, and an emoji in the nickname. */
    piper: '1058372187611856897',
    /** The application's own bot. */
    bot: '1019553485861027842',
    /** A bot of another application, in the club. */
    tidebot: '850978843052343299',
  },
  webhook: {
    id: '1202796037459279874',
    token: 'chat-sim_webhook-token_not-a-real-one-0123456789abcdefghijklmnopqrst',
  },
} as const
