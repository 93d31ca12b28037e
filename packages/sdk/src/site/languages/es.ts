import type { PageTexts } from './page-texts.ts'

/** Spanish, with "tú". Not yet reviewed by a native reader: each correction is one line. */
export const es: PageTexts = {
  tryAgain: 'Reintentar',
  startPage: 'Ir al inicio',
  refusedTitle: 'No se ha iniciado sesión',
  roleTitle: 'No puedes abrir esta página',
  expiredTitle: 'Este inicio de sesión ha caducado',
  failedTitle: 'Ahora mismo no se puede iniciar sesión',
  signedOutTitle: 'Has cerrado sesión',
  LOGIN_NOT_FOUND:
    'No pudimos completar tu inicio de sesión. Empieza de nuevo en este navegador y permite las cookies.',
  LOGIN_UNREADABLE:
    'La cookie de este inicio de sesión se modificó o el sitio cambió su clave secreta. Empieza de nuevo.',
  LOGIN_EXPIRED: 'Este inicio de sesión duró más de diez minutos. Empieza de nuevo.',
  LOGIN_CODE_USED: 'El código de este inicio de sesión ya se usó o tiene más de un minuto. Empieza de nuevo.',
  LOGIN_REFUSED:
    'No se ha iniciado sesión: se canceló o tu cuenta no es miembro. Únete al servidor e inicia sesión de nuevo. Si te expulsaron o te banearon, pregunta a sus moderadores.',
  LOGIN_FAILED: 'Ahora mismo no se puede iniciar sesión. Inténtalo de nuevo en un momento.',
  LOGOUT_INCOMPLETE:
    'Has cerrado sesión en este navegador. No se pudo contactar con el servicio, así que la sesión terminará allí más tarde.',
  ROLE_REQUIRED: 'Tu cuenta no tiene un rol que el sitio exige.',
  SESSION_CHECK_UNAVAILABLE: 'Ahora mismo no se puede comprobar tu sesión. Inténtalo de nuevo en un momento.',
  NOT_FOUND: 'Aquí no hay nada.',
  declined: 'Has rechazado el inicio de sesión en Discord.',
  not_a_member:
    'Esta cuenta no es miembro del servidor. Si aún no te has unido, únete en Discord e inicia sesión de nuevo. Si te expulsaron o banearon, pregunta a los moderadores del servidor.',
  blocked:
    'Esta cuenta está bloqueada. Un admin de la comunidad la ha bloqueado, así que no puede iniciar sesión. No sirve de nada volver a intentarlo. Si tienes preguntas, escribe a los moderadores de la comunidad.',
  no_access:
    'Un admin de la comunidad tiene que dar antes al sitio acceso al servidor. Avisa a quienes administran el sitio.',
  temporarily_unavailable:
    'Discord no responde. No hemos podido completar tu inicio de sesión. Tu cuenta está bien.',
  server_error: 'El problema es nuestro. Tu cuenta está bien.',
}
