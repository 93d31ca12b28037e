import type { PageTexts } from './page-texts.ts'

/** French, with "vous". Not yet reviewed by a native reader: each correction is one line. */
export const fr: PageTexts = {
  tryAgain: 'Réessayer',
  startPage: 'Aller à l’accueil',
  refusedTitle: 'La connexion n’a pas eu lieu',
  roleTitle: 'Vous ne pouvez pas ouvrir cette page',
  expiredTitle: 'Cette connexion a expiré',
  failedTitle: 'La connexion ne fonctionne pas pour le moment',
  signedOutTitle: 'Déconnexion terminée',
  LOGIN_NOT_FOUND:
    'Nous n’avons pas pu terminer votre connexion. Recommencez dans ce navigateur et autorisez les cookies.',
  LOGIN_UNREADABLE:
    'Le cookie de cette connexion a été modifié, ou le site a remplacé son secret. Recommencez.',
  LOGIN_EXPIRED: 'Cette connexion a duré plus de dix minutes. Recommencez.',
  LOGIN_CODE_USED: 'Le code de cette connexion a déjà servi ou date de plus d’une minute. Recommencez.',
  LOGIN_REFUSED:
    'La connexion a été annulée, ou votre compte n’est pas membre du serveur. Rejoignez le serveur et connectez-vous à nouveau. En cas d’expulsion ou de bannissement, adressez-vous à ses modérateurs.',
  LOGIN_FAILED: 'La connexion est impossible pour le moment. Réessayez dans un instant.',
  LOGOUT_INCOMPLETE:
    'La session est fermée dans ce navigateur. Le service est injoignable, donc la session y prendra fin plus tard.',
  ROLE_REQUIRED: 'Votre compte n’a pas de rôle que le site exige.',
  SESSION_CHECK_UNAVAILABLE:
    'Votre session ne peut pas être vérifiée pour le moment. Réessayez dans un instant.',
  NOT_FOUND: 'Il n’y a rien ici.',
  declined: 'Vous avez refusé la connexion sur Discord.',
  not_a_member:
    'Ce compte n’est pas membre du serveur. Si vous n’en faites pas encore partie, rejoignez le serveur sur Discord et connectez-vous à nouveau. En cas d’expulsion ou de bannissement, adressez-vous aux modérateurs du serveur.',
  blocked:
    'Ce compte est bloqué. Un admin de la communauté l’a bloqué : il ne peut pas se connecter. Il est inutile de réessayer. Pour toute question, écrivez aux modérateurs de la communauté.',
  no_access:
    'Un admin de la communauté doit d’abord donner au site l’accès au serveur. Prévenez les responsables du site.',
  temporarily_unavailable:
    'Discord ne répond pas. Nous n’avons pas pu terminer votre connexion. Votre compte n’est pas en cause.',
  server_error: 'Le problème vient de notre côté. Votre compte n’est pas en cause.',
}
