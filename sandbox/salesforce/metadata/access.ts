/**
 * Defines which fields, objects and records each user can access. Salesforce calls this field-level security, object
 * permissions and sharing.
 */

import { type Database, quoted } from '../core/database.ts';
import type { Field } from './field.ts';
import type { ObjectType } from './object-type.ts';

/** The user who makes a request. */
export interface User {
  id: string;
  username: string;
  /**
   * The role. An administrator can see data that is hidden from the integration user. If no user has access to a field,
   * administrators cannot see it either. The role `system` can see all data. Rules run with the role `system`.
   */
  role: 'integration' | 'administrator' | 'system';
}

/** The permissions that determine which data users can see and edit. */
export interface Access {
  canRead(user: User, type: ObjectType, field: Field): boolean;
  canEdit(user: User, type: ObjectType, field: Field): boolean;
  /** Hides a field from the integration user or makes it read-only. Null removes this restriction. */
  restrict(type: ObjectType, field: Field, to: 'hidden' | 'readOnly' | null): void;
  /** Returns false if the user has no permission for the object. */
  canReadType(user: User, type: ObjectType): boolean;
  /** Removes or restores the integration user's permission for an object. */
  hideType(type: ObjectType, isHidden: boolean): void;
  /**
   * Returns an SQL condition for the IDs of records that are shared with the user. Returns null if all records are
   * shared.
   */
  sharedSql(user: User, id: string): string | null;
  /** Returns false if the record is not shared with the user. */
  isShared(user: User, id: string): boolean;
  /** Stops sharing a record with the integration user, or shares it again. */
  hideRecord(id: string, isHidden: boolean): void;
  /** Returns true if the user has the permission. An administrator has all permissions. */
  mayDo(user: User, permission: SetupPermission): boolean;
  /** Removes these permissions from the integration user. An empty list restores all permissions. */
  deny(permissions: readonly SetupPermission[]): void;
  /** Clears the cached permissions. Call the function when permissions have changed. */
  forget(): void;
}

/** The setup permissions, with their names in the API. */
export const SETUP_PERMISSIONS = [
  'CustomizeApplication',
  'ManageProfilesPermissionsets',
  'AssignPermissionSets',
] as const;

export type SetupPermission = (typeof SETUP_PERMISSIONS)[number];

interface Grant {
  read: boolean;
  edit: boolean;
}

/** Reads permissions from the org's own objects and caches them until they change. */
export function createAccess(db: Database): Access {
  const grantsOf = new Map<string, Map<string, Grant>>();
  let restrictions: Map<string, Grant> | undefined;
  let hiddenTypes: Set<string> | undefined;
  let hidesRecords: boolean | undefined;
  let denied: ReadonlySet<SetupPermission> = new Set();

  function granted(user: User, key: string): Grant {
    const grants = grantsOf.get(user.id) ?? readGrants(db, user.id);
    grantsOf.set(user.id, grants);
    return grants.get(key) ?? NOTHING;
  }

  function accessTo(user: User, type: ObjectType, field: Field): Grant {
    if (user.role === 'system') return EVERYTHING;
    const grant = field.needsGrant ? granted(user, keyOf(type, field)) : EVERYTHING;
    restrictions ??= readRestrictions(db);
    if (user.role !== 'integration' || restrictions.size === 0) return grant;
    const limit = restrictions.get(keyOf(type, field)) ?? EVERYTHING;
    // Access applies to a whole address, because the address's parts have the same permissions as the compound field.
    const whole = restrictions.get(`${type.name}.${field.compound ?? ''}`) ?? EVERYTHING;
    return {
      read: grant.read && limit.read && whole.read,
      edit: grant.edit && limit.edit && whole.edit,
    };
  }

  return {
    canRead: (user, type, field) => accessTo(user, type, field).read,
    canEdit: (user, type, field) => accessTo(user, type, field).edit,
    restrict(type, field, to) {
      db.prepare('delete from hidden_fields where type = ? and field = ?').run(
        type.name,
        field.name,
      );
      if (to !== null) {
        db.prepare('insert into hidden_fields values (?, ?, ?)').run(
          type.name,
          field.name,
          to === 'readOnly' ? 1 : 0,
        );
      }
      restrictions = undefined;
    },
    canReadType(user, type) {
      hiddenTypes ??= new Set(
        db.prepare<[], string>('select type from hidden_types').pluck().all(),
      );
      return user.role !== 'integration' || !hiddenTypes.has(type.name);
    },
    hideType(type, isHidden) {
      db.prepare('delete from hidden_types where type = ?').run(type.name);
      if (isHidden) db.prepare('insert into hidden_types values (?)').run(type.name);
      hiddenTypes = undefined;
    },
    sharedSql(user, id) {
      hidesRecords ??= db.prepare('select 1 from hidden_records limit 1').get() !== undefined;
      return user.role === 'integration' && hidesRecords
        ? `${id} not in (select id from hidden_records)`
        : null;
    },
    isShared: (user, id) =>
      user.role !== 'integration' ||
      db.prepare('select 1 from hidden_records where id = ?').get(id) === undefined,
    hideRecord(id, isHidden) {
      db.prepare('delete from hidden_records where id = ?').run(id);
      if (isHidden) db.prepare('insert into hidden_records values (?)').run(id);
      hidesRecords = undefined;
    },
    mayDo: (user, permission) => user.role !== 'integration' || !denied.has(permission),
    deny(permissions) {
      denied = new Set(permissions);
    },
    forget() {
      grantsOf.clear();
    },
  };
}

const EVERYTHING: Grant = { read: true, edit: true };
const NOTHING: Grant = { read: false, edit: false };

/**
 * Returns the key of a field's permissions. A person account's field can show a field of the contact. A field that
 * shows the contact's field has the same permissions as the contact's field.
 */
function keyOf(type: ObjectType, { name, ofPerson }: Field): string {
  return ofPerson === undefined ? `${type.name}.${name}` : `Contact.${ofPerson}`;
}

function readGrants(db: Database, userId: string): Map<string, Grant> {
  const rows = db
    .prepare<[string], { name: string; read: number; edit: number }>(
      `select f."Field" name, max(f."PermissionsRead") read, max(f."PermissionsEdit") edit
       from ${quoted('PermissionSetAssignment')} a
       join ${quoted('FieldPermissions')} f on f."ParentId" = a."PermissionSetId"
       where a."AssigneeId" = ? and a."IsDeleted" = 0 and f."IsDeleted" = 0
       group by f."Field"`,
    )
    .all(userId);
  return new Map(
    rows.map(({ name, read, edit }) => [name, { read: read === 1, edit: edit === 1 }]),
  );
}

function readRestrictions(db: Database): Map<string, Grant> {
  const rows = db
    .prepare<[], { type: string; field: string; readable: number }>('select * from hidden_fields')
    .all();
  return new Map(
    rows.map(({ type, field, readable }) => [
      `${type}.${field}`,
      { read: readable === 1, edit: false },
    ]),
  );
}
