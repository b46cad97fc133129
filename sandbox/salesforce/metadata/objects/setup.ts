/** Users, permissions and the other objects of an org's setup. */

import { defineField, type Field, lookup, readOnly, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';
import { flag, PERSON_NAME_SQL } from './people.ts';

export function setupObjects(): ObjectType[] {
  return [
    userObject(),
    profileObject(),
    organizationObject(),
    recordTypeObject(),
    ...permissionObjects(),
    customFieldObject(),
  ];
}

function userObject(): ObjectType {
  return defineObject({
    name: 'User',
    label: 'User',
    keyPrefix: '005',
    createable: false,
    deletable: false,
    fields: [
      text('Username', 'Username', 80, { required: true }),
      text('LastName', 'Last Name', 80, { required: true }),
      text('FirstName', 'First Name', 40),
      readOnly(text('Name', 'Full Name', 121, { expression: PERSON_NAME_SQL })),
      text('Alias', 'Alias', 8),
      defineField('Email', 'Email', 'email', { required: true }),
      lookup('ProfileId', 'Profile ID', { to: 'Profile', relationship: 'Profile' }),
      defineField('UserType', 'User Type', 'picklist', { defaultValue: 'Standard' }),
      flag('IsActive', 'Active'),
      text('TimeZoneSidKey', 'Time Zone', 40),
      text('LocaleSidKey', 'Locale', 40),
      text('LanguageLocaleKey', 'Language', 40),
    ],
  });
}

function profileObject(): ObjectType {
  return defineObject({
    name: 'Profile',
    label: 'Profile',
    keyPrefix: '00e',
    ...READ_ONLY,
    fields: [text('Name', 'Name', 255, { required: true })],
  });
}

function organizationObject(): ObjectType {
  return defineObject({
    name: 'Organization',
    label: 'Organization',
    keyPrefix: '00D',
    ...READ_ONLY,
    fields: [
      text('Name', 'Name', 80, { required: true }),
      defineField('OrganizationType', 'Edition', 'picklist'),
      text('InstanceName', 'Instance Name', 5),
      flag('IsSandbox', 'Is Sandbox'),
      text('NamespacePrefix', 'Namespace Prefix', 15),
      defineField('TrialExpirationDate', 'Trial Expiration Date', 'datetime'),
      text('TimeZoneSidKey', 'Time Zone', 40),
      text('LanguageLocaleKey', 'Language', 40),
    ],
  });
}

function recordTypeObject(): ObjectType {
  return defineObject({
    name: 'RecordType',
    label: 'Record Type',
    keyPrefix: '012',
    ...READ_ONLY,
    fields: [
      text('Name', 'Name', 80, { required: true }),
      text('DeveloperName', 'Record Type Name', 80, { required: true }),
      defineField('SobjectType', 'SObject Type Name', 'picklist', { required: true }),
      text('NamespacePrefix', 'Namespace Prefix', 15),
      flag('IsActive', 'Active'),
    ],
  });
}

function permissionObjects(): ObjectType[] {
  return [
    defineObject({
      name: 'PermissionSet',
      label: 'Permission Set',
      keyPrefix: '0PS',
      unique: [['Name']],
      cascade: [
        { type: 'FieldPermissions', field: 'ParentId' },
        { type: 'PermissionSetAssignment', field: 'PermissionSetId' },
      ],
      fields: [
        text('Name', 'Permission Set Name', 80, { required: true }),
        text('Label', 'Permission Set Label', 80, { required: true }),
        text('Description', 'Description', 255),
        lookup(
          'ProfileId',
          'Profile ID',
          { to: 'Profile', relationship: 'Profile' },
          { createable: false, updateable: false },
        ),
        readOnly(flag('IsOwnedByProfile', 'Is Owned By Profile')),
        readOnly(
          defineField('IsCustom', 'Custom', 'boolean', {
            required: true,
            expression: '({t}."IsOwnedByProfile" = 0)',
          }),
        ),
      ],
    }),
    defineObject({
      name: 'PermissionSetAssignment',
      label: 'Permission Set Assignment',
      keyPrefix: '0Pa',
      updateable: false,
      unique: [['PermissionSetId', 'AssigneeId']],
      fields: [
        lookup(
          'PermissionSetId',
          'PermissionSet ID',
          { to: 'PermissionSet', relationship: 'PermissionSet', children: 'Assignments' },
          { required: true },
        ),
        lookup(
          'AssigneeId',
          'Assignee ID',
          { to: 'User', relationship: 'Assignee', children: 'PermissionSetAssignments' },
          { required: true },
        ),
      ],
    }),
    defineObject({
      name: 'FieldPermissions',
      label: 'Field Permissions',
      labelPlural: 'Field Permissions',
      keyPrefix: '01k',
      unique: [['ParentId', 'Field']],
      fields: [
        lookup(
          'ParentId',
          'Parent ID',
          { to: 'PermissionSet', relationship: 'Parent', children: 'FieldPerms' },
          { required: true, updateable: false },
        ),
        defineField('SobjectType', 'Sobject Type Name', 'picklist', {
          required: true,
          updateable: false,
        }),
        defineField('Field', 'Field Name', 'picklist', { required: true, updateable: false }),
        flag('PermissionsRead', 'Read Field'),
        flag('PermissionsEdit', 'Edit Field'),
      ],
    }),
  ];
}

function customFieldObject(): ObjectType {
  return defineObject({
    name: 'CustomField',
    label: 'Custom Field',
    keyPrefix: '00N',
    toolingOnly: true,
    fields: [
      text('DeveloperName', 'Developer Name', 80, { required: true }),
      text('TableEnumOrId', 'Object', 40, { required: true }),
      text('NamespacePrefix', 'Namespace Prefix', 15),
      defineField('Description', 'Description', 'textarea', { length: 1000 }),
      fullName(),
    ],
  });
}

function fullName(): Field {
  const expression = `({t}."TableEnumOrId" || '.' || {t}."DeveloperName" || '__c')`;
  return readOnly(text('FullName', 'Full Name', 255, { expression }));
}

const READ_ONLY = { createable: false, updateable: false, deletable: false };
