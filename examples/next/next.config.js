/** This folder is the whole app, even if a folder above it has its own lock file. */
export default { turbopack: { root: import.meta.dirname } }
