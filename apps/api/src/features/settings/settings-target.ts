/** The target of an audit entry about a change of the settings. */
export const settingsTarget = { type: 'settings', id: 'settings', name: 'System settings' } as const
