/** What Salesforce asks of FieldPermissions records beyond their types. */

import { type RecordError, recordError } from '../core/errors.ts';
import type { SetupPermission } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { isGrantable, type StoredValue } from './field.ts';
import { findField } from './object-type.ts';

/** The objects whose records decide what users see. */
export const PERMISSION_OBJECTS = new Set([
  'PermissionSet',
  'PermissionSetAssignment',
  'FieldPermissions',
]);

/** The permission that writing such a record takes; undefined of any other object. */
export function permissionFor(typeName: string): SetupPermission | undefined {
  if (!PERMISSION_OBJECTS.has(typeName)) return undefined;
  return typeName === 'PermissionSetAssignment'
    ? 'AssignPermissionSets'
    : 'ManageProfilesPermissionsets';
}

/** What is wrong with the values of such a record: the field must exist and be one to grant, and editing needs reading. */
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
