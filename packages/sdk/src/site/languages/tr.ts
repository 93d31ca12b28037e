import type { PageTexts } from './page-texts.ts'

/** Turkish, with "siz". Not yet reviewed by a native reader: each correction is one line. */
export const tr: PageTexts = {
  tryAgain: 'Tekrar dene',
  startPage: 'Ana sayfaya git',
  refusedTitle: 'Giriş yapılmadı',
  roleTitle: 'Bu sayfayı açamazsınız',
  expiredTitle: 'Bu girişin süresi doldu',
  failedTitle: 'Giriş şu anda çalışmıyor',
  signedOutTitle: 'Çıkış yaptınız',
  LOGIN_NOT_FOUND: 'Girişiniz tamamlanamadı. Bu tarayıcıda yeniden başlayın ve çerezlere izin verin.',
  LOGIN_UNREADABLE: 'Bu girişin çerezi değiştirildi ya da site gizli anahtarını yeniledi. Yeniden başlayın.',
  LOGIN_EXPIRED: 'Bu giriş on dakikadan uzun sürdü. Yeniden başlayın.',
  LOGIN_CODE_USED: 'Bu girişin kodu daha önce kullanıldı ya da bir dakikadan eski. Yeniden başlayın.',
  LOGIN_REFUSED:
    'Giriş yapılmadı: Giriş iptal edildi ya da hesabınız üye değil. Sunucuya katılın ve yeniden giriş yapın. Atıldıysanız ya da yasaklandıysanız sunucunun moderatörlerine sorun.',
  LOGIN_FAILED: 'Şu anda giriş yapılamıyor. Birazdan tekrar deneyin.',
  LOGOUT_INCOMPLETE:
    'Bu tarayıcıda çıkış yaptınız. Hizmete ulaşılamadı, bu yüzden oturum orada daha sonra sona erecek.',
  ROLE_REQUIRED: 'Hesabınızda sitenin istediği bir rol yok.',
  SESSION_CHECK_UNAVAILABLE: 'Oturumunuz şu anda denetlenemiyor. Birazdan tekrar deneyin.',
  NOT_FOUND: 'Burada bir şey yok.',
  declined: 'Discord’da girişi reddettiniz.',
  not_a_member:
    'Bu hesap sunucunun üyesi değil. Henüz katılmadıysanız Discord’da katılın ve yeniden giriş yapın. Atıldıysanız ya da yasaklandıysanız sunucunun moderatörlerine sorun.',
  blocked:
    'Bu hesap engellendi. Topluluğun bir yöneticisi bu hesabı engelledi. Hesapla giriş yapılamaz. Tekrar denemek işe yaramaz. Sorularınız için topluluğun moderatörlerine yazın.',
  no_access:
    'Önce topluluğun bir yöneticisi siteye sunucu için erişim vermeli. Siteyi yönetenlere haber verin.',
  temporarily_unavailable: 'Discord yanıt vermiyor. Girişinizi tamamlayamadık. Hesabınızda bir sorun yok.',
  server_error: 'Sorun bizden kaynaklanıyor. Hesabınızda bir sorun yok.',
}
