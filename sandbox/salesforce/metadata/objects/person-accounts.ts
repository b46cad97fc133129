/** Person accounts. A person account is an account that represents a person and belongs to a contact. */

import { addressFields, defineField, type Field, lookup, readOnly, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';
import { flag } from './people.ts';

export function personAccountContactFields(): Field[] {
  return [
    readOnly(flag('IsPersonAccount', 'Is Person Account')),
    defineField('GenderIdentity', 'Gender Identity', 'picklist', {
      picklist: ['Male', 'Female', 'Nonbinary', 'Not Listed'],
    }),
  ];
}

/** Returns the fields of person accounts. Most of them show fields of the contact under different names. */
export function personAccountFields(): Field[] {
  return [
    readOnly(flag('IsPersonAccount', 'Is Person Account')),
    readOnly(
      lookup('PersonContactId', 'Contact ID', { to: 'Contact', relationship: 'PersonContact' }),
    ),
    text('FirstName', 'First Name', 40, { ofPerson: 'FirstName' }),
    text('LastName', 'Last Name', 80, { ofPerson: 'LastName' }),
    ...addressFields('PersonMailing', 'Mailing').map(personPart),
    defineField('PersonEmail', 'Email', 'email', { ofPerson: 'Email' }),
    defineField('PersonMobilePhone', 'Mobile', 'phone', { ofPerson: 'MobilePhone' }),
    text('PersonTitle', 'Title', 128, { ofPerson: 'Title' }),
    defineField('PersonBirthdate', 'Birthdate', 'date', { ofPerson: 'Birthdate' }),
    defineField('PersonHasOptedOutOfEmail', 'Email Opt Out', 'boolean', {
      ofPerson: 'HasOptedOutOfEmail',
    }),
  ].map(fromPerson);
}

/** Returns the field of Account that shows a custom field of Contact. For example, `X__c` becomes `X__pc`. */
export function personAccountTwin(field: Field): Field {
  const twin = { ...field, name: field.name.replace(/__c$/, '__pc'), ofPerson: field.name };
  return fromPerson(twin);
}

/**
 * Returns the object for relations between contacts and accounts other than the contact's own account. For example, an
 * employer is such an account.
 */
export function accountContactRelationObject(): ObjectType {
  return defineObject({
    name: 'AccountContactRelation',
    label: 'Account Contact Relationship',
    keyPrefix: '07k',
    unique: [['AccountId', 'ContactId']],
    fields: [
      lookup(
        'AccountId',
        'Account ID',
        { to: 'Account', relationship: 'Account', children: 'AccountContactRelations' },
        { required: true, updateable: false },
      ),
      lookup(
        'ContactId',
        'Contact ID',
        { to: 'Contact', relationship: 'Contact', children: 'AccountContactRelations' },
        { required: true, updateable: false },
      ),
      defineField('Roles', 'Roles', 'multipicklist', {
        length: 4099,
        picklist: ['Employee', 'Board Member', 'Volunteer', 'Other'],
      }),
      flag('IsActive', 'Active'),
      readOnly(flag('IsDirect', 'Direct')),
      defineField('StartDate', 'Start Date', 'date'),
      defineField('EndDate', 'End Date', 'date'),
    ],
  });
}

function personPart(field: Field): Field {
  return field.type === 'address'
    ? field
    : { ...field, ofPerson: field.name.replace(/^Person/, '') };
}

/** Returns a field without its own column. Its value comes from the contact. */
export function fromPerson(field: Field): Field {
  if (field.ofPerson === undefined) return field;
  const expression = `(select p."${field.ofPerson}" from "Contact" p where p."Id" = {t}."PersonContactId")`;
  return { ...field, required: false, expression };
}
