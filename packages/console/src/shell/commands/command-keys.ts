// The keys that open the command menu, as they are called on this machine.

export const commandKeys: readonly string[] = /Mac|iPhone|iPad/.test(navigator.userAgent) ? ['⌘', 'K'] : ['Ctrl', 'K']
