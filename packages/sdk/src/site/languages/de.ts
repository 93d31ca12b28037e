import type { PageTexts } from './page-texts.ts'

/** German, with "Sie". Not yet reviewed by a native reader: each correction is one line. */
export const de: PageTexts = {
  tryAgain: 'Noch einmal versuchen',
  startPage: 'Zur Startseite',
  refusedTitle: 'Sie wurden nicht angemeldet',
  roleTitle: 'Sie können diese Seite nicht öffnen',
  expiredTitle: 'Diese Anmeldung ist abgelaufen',
  failedTitle: 'Die Anmeldung funktioniert gerade nicht',
  signedOutTitle: 'Sie sind abgemeldet',
  LOGIN_NOT_FOUND:
    'Wir konnten Sie nicht anmelden. Beginnen Sie in diesem Browser neu und lassen Sie Cookies zu.',
  LOGIN_UNREADABLE:
    'Das Cookie dieser Anmeldung wurde verändert, oder die Website hat ihren Schlüssel ersetzt. Beginnen Sie noch einmal.',
  LOGIN_EXPIRED: 'Diese Anmeldung hat länger als zehn Minuten gedauert. Beginnen Sie noch einmal.',
  LOGIN_CODE_USED:
    'Der Code dieser Anmeldung wurde schon verwendet oder ist älter als eine Minute. Beginnen Sie noch einmal.',
  LOGIN_REFUSED:
    'Sie wurden nicht angemeldet: Die Anmeldung wurde abgebrochen, oder Sie sind kein Mitglied. Treten Sie dem Server bei und melden Sie sich noch einmal an. Wenn Sie entfernt oder gebannt wurden, fragen Sie seine Moderatoren.',
  LOGIN_FAILED: 'Sie können gerade nicht angemeldet werden. Versuchen Sie es gleich noch einmal.',
  LOGOUT_INCOMPLETE:
    'Sie sind in diesem Browser abgemeldet. Der Dienst war nicht erreichbar, deshalb endet die Sitzung dort später.',
  ROLE_REQUIRED: 'Ihr Account hat keine Rolle, die die Website verlangt.',
  SESSION_CHECK_UNAVAILABLE:
    'Ihre Sitzung kann gerade nicht geprüft werden. Versuchen Sie es gleich noch einmal.',
  NOT_FOUND: 'Hier ist nichts.',
  declined: 'Sie haben die Anmeldung bei Discord abgelehnt.',
  not_a_member:
    'Dieser Account ist kein Mitglied des Servers. Wenn Sie noch nicht beigetreten sind, treten Sie auf Discord bei und melden Sie sich noch einmal an. Wenn Sie entfernt oder gebannt wurden, fragen Sie die Moderatoren des Servers.',
  blocked:
    'Dieser Account ist gesperrt. Ein Admin der Community hat ihn gesperrt. Er kann sich nicht anmelden. Ein neuer Versuch hilft nicht. Wenn Sie Fragen dazu haben, schreiben Sie den Moderatoren der Community.',
  no_access:
    'Ein Admin der Community muss der Website zuerst Zugriff auf den Server geben. Sagen Sie den Betreibern der Website Bescheid.',
  temporarily_unavailable:
    'Discord antwortet nicht. Wir konnten Ihre Anmeldung nicht abschließen. Mit Ihrem Account ist alles in Ordnung.',
  server_error: 'Der Fehler liegt bei uns. Mit Ihrem Account ist alles in Ordnung.',
}
