import type { PageTexts } from './page-texts.ts'

/** Dutch, with "je". Not yet reviewed by a native reader: each correction is one line. */
export const nl: PageTexts = {
  tryAgain: 'Opnieuw proberen',
  startPage: 'Naar de startpagina',
  refusedTitle: 'Je bent niet ingelogd',
  roleTitle: 'Je kunt deze pagina niet openen',
  expiredTitle: 'Deze inlogpoging is verlopen',
  failedTitle: 'Inloggen werkt nu niet',
  signedOutTitle: 'Je bent uitgelogd',
  LOGIN_NOT_FOUND: 'Het inloggen is niet gelukt. Begin opnieuw in deze browser en sta cookies toe.',
  LOGIN_UNREADABLE:
    'De cookie van deze inlogpoging is gewijzigd, of de site heeft haar sleutel vervangen. Begin opnieuw.',
  LOGIN_EXPIRED: 'Deze inlogpoging duurde langer dan tien minuten. Begin opnieuw.',
  LOGIN_CODE_USED: 'De code van deze inlogpoging is al gebruikt of is ouder dan een minuut. Begin opnieuw.',
  LOGIN_REFUSED:
    'Je bent niet ingelogd: het inloggen is geannuleerd, of je bent geen lid. Word lid van de server en log opnieuw in. Ben je verwijderd of verbannen, vraag het dan aan de moderators.',
  LOGIN_FAILED: 'Inloggen werkt nu niet. Probeer het zo nog eens.',
  LOGOUT_INCOMPLETE:
    'Je bent in deze browser uitgelogd. De dienst was niet bereikbaar, dus de sessie eindigt daar later.',
  ROLE_REQUIRED: 'Je account heeft geen rol die de site vereist.',
  SESSION_CHECK_UNAVAILABLE: 'Je sessie kan nu niet worden gecontroleerd. Probeer het zo nog eens.',
  NOT_FOUND: 'Hier is niets.',
  declined: 'Je hebt het inloggen bij Discord geweigerd.',
  not_a_member:
    'Dit account is geen lid van de server. Ben je nog geen lid? Word lid op Discord en log opnieuw in. Ben je verwijderd of verbannen? Vraag het de moderators van de server.',
  blocked:
    'Dit account is geblokkeerd. Een admin van de community heeft het geblokkeerd. Het kan niet inloggen. Opnieuw proberen helpt niet. Heb je vragen? Schrijf de moderators van de community.',
  no_access:
    'Een admin van de community moet de site eerst toegang geven tot de server. Laat het de beheerders van de site weten.',
  temporarily_unavailable:
    'Discord reageert niet. We konden het inloggen niet afronden. Met je account is niets mis.',
  server_error: 'Het probleem ligt bij ons. Met je account is niets mis.',
}
