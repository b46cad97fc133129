/** Salesforce's additional rules for FieldPermissions records. The types of the fields cannot express these rules. */

import { type RecordError, recordError } from '../core/errors.ts';
import type { SetupPermission } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { isGrantable, type StoredValue } from './field.ts';
import { findField } from './object-type.ts';

/** The objects whose records determine the permissions of users. */
export const PERMISSION_OBJECTS = new Set([
  'PermissionSet',
  'PermissionSetAssignment',
  'FieldPermissions',
]);

/**
 * Returns the permission that is necessary to write a record of this object. Returns undefined if none is necessary.
 */
export function permissionFor(typeName: string): SetupPermission | undefined {
  if (!PERMISSION_OBJECTS.has(typeName)) return undefined;
  return typeName === 'PermissionSetAssignment'
    ? 'AssignPermissionSets'
    : 'ManageProfilesPermissionsets';
}

/**
 * Returns the errors in the values of a FieldPermissions record. The field must exist, and its permissions must be
 * adjustable. Permission to edit requires permission to read.
 */
export function checkFieldPermissions(
  catalogue: Catalogue,
  values: ReadonlyMap<string, StoredValue>,
): RecordError[] {
  const name = values.get('Field');
  const isUnknown = name !== undefined && !canBeGranted(catalogue, String(name));
  const editsUnseen = values.get('PermissionsEdit') === 1 && values.get('PermissionsRead') !== 1;
  return [
    ...(isUnknown ? [badField(String(name))] : []),
    ...(editsUnseen ? [EDIT_NEEDS_READ] : []),
  ];
}

function canBeGranted(catalogue: Catalogue, name: string): boolean {
  const [typeName = '', fieldName = ''] = name.split('.');
  const type = catalogue.find(typeName);
  const field = type === undefined ? undefined : findField(type, fieldName);
  return field !== undefined && isGrantable(field);
}

function badField(name: string): RecordError {
  const message = `Field Name: bad value for restricted picklist field: ${name}`;
  return recordError('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', message, ['Field']);
}

const EDIT_NEEDS_READ = recordError(
  'FIELD_INTEGRITY_EXCEPTION',
  'Permission Edit Field depends on permission(s): Read Field',
);
