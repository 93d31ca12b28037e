/** This folder is the whole app, also where a folder above it has a lock file of its own. */
export default { turbopack: { root: import.meta.dirname } }
