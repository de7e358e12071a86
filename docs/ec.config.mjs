// How blocks of code look. In a file of its own: the plugin of the reference replaces what the configuration of the site says.
import { defineEcConfig } from '@astrojs/starlight/expressive-code'

export default defineEcConfig({
  styleOverrides: { borderRadius: '0.5rem' },
  defaultProps: { frame: 'code' },
})
