import type { PageTexts } from './page-texts.ts'

/** Polish, with "ty". Not yet reviewed by a native reader: each correction is one line. */
export const pl: PageTexts = {
  tryAgain: 'Spróbuj ponownie',
  startPage: 'Przejdź do strony głównej',
  refusedTitle: 'Nie udało się zalogować',
  roleTitle: 'Nie możesz otworzyć tej strony',
  expiredTitle: 'To logowanie wygasło',
  failedTitle: 'Logowanie teraz nie działa',
  signedOutTitle: 'Wylogowano',
  LOGIN_NOT_FOUND:
    'Nie udało się dokończyć logowania. Zacznij od nowa w tej przeglądarce i zezwól na pliki cookie.',
  LOGIN_UNREADABLE:
    'Plik cookie tego logowania został zmieniony albo strona wymieniła swój klucz. Zacznij od nowa.',
  LOGIN_EXPIRED: 'To logowanie trwało dłużej niż dziesięć minut. Zacznij od nowa.',
  LOGIN_CODE_USED: 'Kod tego logowania został już użyty albo ma ponad minutę. Zacznij od nowa.',
  LOGIN_REFUSED:
    'Nie udało się zalogować: logowanie zostało anulowane albo to konto nie należy do serwera. Dołącz do serwera i zaloguj się ponownie. Jeśli konto zostało wyrzucone lub zbanowane, zapytaj moderatorów.',
  LOGIN_FAILED: 'Logowanie teraz nie działa. Spróbuj ponownie za chwilę.',
  LOGOUT_INCOMPLETE:
    'Wylogowano w tej przeglądarce. Nie udało się połączyć z usługą, więc sesja zakończy się tam później.',
  ROLE_REQUIRED: 'Twoje konto nie ma roli, której wymaga strona.',
  SESSION_CHECK_UNAVAILABLE: 'Nie można teraz sprawdzić Twojej sesji. Spróbuj ponownie za chwilę.',
  NOT_FOUND: 'Nic tu nie ma.',
  declined: 'Logowanie zostało odrzucone na Discordzie.',
  not_a_member:
    'To konto nie należy do członka serwera. Jeśli jeszcze Cię tam nie ma, dołącz na Discordzie i zaloguj się ponownie. W przypadku wyrzucenia lub bana zapytaj moderatorów serwera.',
  blocked:
    'To konto jest zablokowane. Zablokował je admin społeczności, więc nie można się na nie zalogować. Ponowna próba nie pomoże. W razie pytań napisz do moderatorów społeczności.',
  no_access:
    'Najpierw admin społeczności musi dać stronie dostęp do serwera. Powiadom osoby prowadzące stronę.',
  temporarily_unavailable:
    'Discord nie odpowiada. Nie udało się dokończyć logowania. Z Twoim kontem wszystko w porządku.',
  server_error: 'Problem jest po naszej stronie. Z Twoim kontem wszystko w porządku.',
}
