import type { Queryable } from '../apps/api/src/platform/db/database.ts'
import { sql } from '../apps/api/src/platform/db/sql.ts'

/** A column of a table or a view. */
export interface Column {
  readonly relation: string
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  /** The default value, or the expression of a generated column. */
  readonly expression: string | null
  readonly generated: 'identity' | 'stored' | null
  readonly comment: string | null
}

/** A constraint of a table. */
export interface Constraint {
  readonly relation: string
  readonly kind: 'primary key' | 'unique' | 'foreign key' | 'check'
  readonly definition: string
  /** The table to which a foreign key refers. */
  readonly refersTo: string | null
  readonly columns: readonly string[]
  readonly isNullable: boolean
  /** True if no two rows can have the same values. */
  readonly isUnique: boolean
}

/** An index of a table. */
export interface Index {
  readonly relation: string
  readonly name: string
  readonly definition: string
  readonly comment: string | null
}

/** A trigger of a table, with the function that it calls. */
export interface Trigger {
  readonly relation: string
  readonly name: string
  readonly definition: string
  /** The comment on the function. */
  readonly effect: string | null
  /** The comment on the trigger. */
  readonly why: string | null
}

/** A table or a view. */
export interface Relation {
  readonly name: string
  readonly kind: 'table' | 'view'
  readonly comment: string | null
}

interface Function {
  readonly name: string
  readonly signature: string
  readonly comment: string | null
}

/** The schema of a database, as the system catalog of PostgreSQL describes it. */
export interface Catalog {
  readonly relations: readonly Relation[]
  readonly columns: readonly Column[]
  readonly constraints: readonly Constraint[]
  readonly indexes: readonly Index[]
  readonly triggers: readonly Trigger[]
  /** The functions that no trigger calls directly. */
  readonly functions: readonly Function[]
}

/** Reads the catalog in a fixed order, so that a page that is generated from it changes only if the schema changes. */
export const readCatalog = async (db: Queryable): Promise<Catalog> => ({
  relations: await relations(db),
  columns: await columns(db),
  constraints: await constraints(db),
  indexes: await indexes(db),
  triggers: await triggers(db),
  functions: await functions(db),
})

const relations = (db: Queryable) =>
  db.query<Relation>(sql`
    select c.relname::text as name, case c.relkind when 'v' then 'view' else 'table' end as kind,
      obj_description(c.oid, 'pg_class') as comment
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
    order by c.relname collate "C"`)

const columns = (db: Queryable) =>
  db.query<Column>(sql`
    select c.relname::text as relation, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
      not a.attnotnull as "isNullable", pg_get_expr(d.adbin, d.adrelid) as expression,
      case when a.attidentity <> '' then 'identity' when a.attgenerated <> '' then 'stored' end as generated,
      col_description(c.oid, a.attnum) as comment
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
    order by c.relname collate "C", a.attnum`)

const constraints = (db: Queryable) =>
  db.query<Constraint>(sql`
    select c.relname::text as relation,
      case k.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key' else 'check' end as kind,
      pg_get_constraintdef(k.oid, true) as definition, r.relname::text as "refersTo",
      array(select a.attname::text from unnest(k.conkey) with ordinality n (num, at)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = n.num order by n.at) as columns,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attnum = any(k.conkey) and not a.attnotnull)
        as "isNullable",
      exists (select from pg_index x where x.indrelid = c.oid and x.indisunique and x.indpred is null
        and x.indkey::int2[] <@ k.conkey) as "isUnique"
    from pg_constraint k join pg_class c on c.oid = k.conrelid left join pg_class r on r.oid = k.confrelid
    where c.relnamespace = 'public'::regnamespace and k.contype in ('p', 'u', 'f', 'c')
    order by c.relname collate "C", array_position(array['p', 'u', 'f', 'c'], k.contype::text), k.conname collate "C"`)

const indexes = (db: Queryable) =>
  db.query<Index>(sql`
    select c.relname::text as relation, i.relname::text as name, pg_get_indexdef(i.oid, 0, true) as definition,
      obj_description(i.oid, 'pg_class') as comment
    from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u'))
    order by c.relname collate "C", i.relname collate "C"`)

const triggers = (db: Queryable) =>
  db.query<Trigger>(sql`
    select c.relname::text as relation, t.tgname::text as name, pg_get_triggerdef(t.oid, true) as definition,
      obj_description(t.tgfoid, 'pg_proc') as effect, obj_description(t.oid, 'pg_trigger') as why
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace
    order by c.relname collate "C", t.tgname collate "C"`)

const functions = (db: Queryable) =>
  db.query<Function>(sql`
    select p.proname::text as name, format('%s(%s) returns %s', p.proname, pg_get_function_identity_arguments(p.oid),
      pg_get_function_result(p.oid)) as signature, obj_description(p.oid, 'pg_proc') as comment
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
      and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
    order by p.proname collate "C"`)
