import { installOnce } from '../install-once.js'

/** Installs the packages of this folder before Vitest loads its tests. */
export default () => installOnce('tools/peers')
