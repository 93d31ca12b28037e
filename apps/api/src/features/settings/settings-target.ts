/** The target of a change of the settings in the audit log. */
export const settingsTarget = { type: 'settings', id: 'settings', name: 'System settings' } as const
