/** Finds the columns that a query names. The columns belong to the object itself or, through joins, to its parents. */

import { quoted } from '../../core/database.ts';
import { defineField, type Field, isStored, isText } from '../../metadata/field.ts';
import { findField, type ObjectType } from '../../metadata/object-type.ts';
import type { QueryContext } from './context.ts';
import { malformed, noSuchColumn, noSuchRelationship } from './query-error.ts';

/** The maximum number of parents in a path. */
const MAX_PARENTS = 5;

/** A field, with the SQL for its value. */
export interface Column {
  field: Field;
  type: ObjectType;
  table: string;
  /** The relationships that lead to the column, in the spelling that the org uses. */
  parents: readonly string[];
  sql: string;
}

/** The object to which a path leads. */
export interface Parent {
  type: ObjectType;
  /** The alias of the object's table. */
  table: string;
  /** The path in the spelling that the org uses. */
  path: readonly string[];
}

/** The names that a part of a query can use. */
export interface Scope {
  type: ObjectType;
  /** The alias of the object's own table. */
  table: string;
  /**
   * Returns the column of a path such as `Account.Name`. Throws INVALID_FIELD if the column does not exist or the user
   * cannot see it.
   */
  column(path: string): Column;
  /** Returns the parent at a path such as `['Account', 'Owner']`. An empty path leads to the object itself. */
  parent(path: readonly string[]): Parent;
  /** Returns the joins for all columns that have been requested so far. */
  joins(): string;
}

/** Opens a scope. `name` makes the scope's aliases different from the aliases of other scopes in the same SQL. */
export function openScope(
  context: QueryContext,
  type: ObjectType,
  name: string,
  alias?: string,
): Scope {
  const own: Parent = { type, table: name, path: [] };
  const parents = new Map<string, Parent & { join: string }>();

  function readable(owner: ObjectType, fieldName: string): Field | undefined {
    const field = findField(owner, fieldName);
    const isSeen = field !== undefined && context.access.canRead(context.user, owner, field);
    return isSeen ? field : undefined;
  }

  function parent(path: readonly string[]): Parent {
    const last = path.at(-1);
    if (last === undefined) return own;
    if (path.length > MAX_PARENTS) {
      throw malformed(context.soql, `Only ${MAX_PARENTS} levels of parents can be reached`, last);
    }
    const key = path.join('.').toLowerCase();
    const present = parents.get(key);
    if (present !== undefined) return present;
    const added = join(parent(path.slice(0, -1)), last);
    parents.set(key, added);
    return added;
  }

  function join(child: Parent, relationship: string): Parent & { join: string } {
    const link = findLink(child.type, relationship);
    if (link?.reference === undefined || readable(child.type, link.name) === undefined) {
      throw noSuchRelationship(context.soql, relationship);
    }
    const target = context.catalogue.get(link.reference.to);
    const table = `${name}p${parents.size}`;
    const on = `${table}."Id" = ${columnSql(child.table, link)}${unseen(target, table)}`;
    return {
      type: target,
      table,
      path: [...child.path, link.reference.relationship],
      join: ` left join ${quoted(target.name)} ${table} on ${on}`,
    };
  }

  /**
   * Returns the SQL for a parent that the user cannot see. A parent that the user cannot see is blank, like a missing
   * parent.
   */
  function unseen(target: ObjectType, table: string): string {
    const { access, user } = context;
    if (!access.canReadType(user, target)) return ' and 0';
    const shared = access.sharedSql(user, `${table}."Id"`);
    return shared === null ? '' : ` and ${shared}`;
  }

  /**
   * Returns the column `Owner.Type`, which contains the name of the owner's object. The column `Owner.Type` exists only
   * if a reference can lead to several objects.
   */
  function typeColumn(names: readonly string[], owner: Parent): Column | undefined {
    const link = names.at(-2);
    if (link === undefined || names.at(-1)?.toLowerCase() !== 'type') return undefined;
    const reference = findLink(parent(names.slice(0, -2)).type, link)?.reference;
    if (reference?.others === undefined) return undefined;
    const sql = `iif(${owner.table}."Id" is null, null, '${owner.type.name}')`;
    return { field: TYPE_FIELD, type: owner.type, table: owner.table, parents: owner.path, sql };
  }

  return {
    type,
    table: name,
    parent,
    column(path) {
      const steps = path.split('.');
      const [first = ''] = steps;
      const isOwnName = steps.length > 1 && isNameOf(first, type, alias);
      const names = isOwnName ? steps.slice(1) : steps;
      const owner = parent(names.slice(0, -1));
      const typeName = typeColumn(names, owner);
      if (typeName !== undefined) return typeName;
      const field = readable(owner.type, names.at(-1) ?? '');
      if (field === undefined) throw noSuchColumn(context.soql, path, owner.type.name);
      const sql = columnSql(owner.table, field);
      return { field, type: owner.type, table: owner.table, parents: owner.path, sql };
    },
    joins: () => [...parents.values()].map((one) => one.join).join(''),
  };
}

const TYPE_FIELD = defineField('Type', 'Type', 'string', { length: 40 });

function isNameOf(first: string, type: ObjectType, alias: string | undefined): boolean {
  const name = first.toLowerCase();
  return name === alias?.toLowerCase() || name === type.name.toLowerCase();
}

function findLink(type: ObjectType, relationship: string): Field | undefined {
  const name = relationship.toLowerCase();
  return type.fields.find(({ reference }) => reference?.relationship.toLowerCase() === name);
}

/** Returns the SQL for a field. A calculated field has its own SQL. */
export function columnSql(table: string, field: Field): string {
  if (isStored(field)) return `${table}.${quoted(field.name)}`;
  if (field.expression === undefined) return 'null';
  const sql = `(${field.expression.replaceAll('{t}', table)})`;
  return isText(field) ? `${sql} collate nocase` : sql;
}
