/** Contacts, accounts and leads, which every org has. */

import { addressFields, defineField, type Field, lookup, readOnly, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';

/** Returns the object Contact. `Name` is composed of other fields and cannot be written. */
export function contactObject(extra: readonly Field[]): ObjectType {
  return defineObject({
    name: 'Contact',
    label: 'Contact',
    keyPrefix: '003',
    mergeable: true,
    cascade: [
      { type: 'CampaignMember', field: 'ContactId' },
      { type: 'npe5__Affiliation__c', field: 'npe5__Contact__c' },
      { type: 'AccountContactRelation', field: 'ContactId' },
    ],
    fields: [
      lookup('AccountId', 'Account ID', {
        to: 'Account',
        relationship: 'Account',
        children: 'Contacts',
      }),
      ...personNameFields(),
      ...addressFields('Other', 'Other'),
      ...addressFields('Mailing', 'Mailing'),
      defineField('Phone', 'Business Phone', 'phone'),
      defineField('MobilePhone', 'Mobile Phone', 'phone'),
      defineField('HomePhone', 'Home Phone', 'phone'),
      lookup('ReportsToId', 'Reports To ID', { to: 'Contact', relationship: 'ReportsTo' }),
      defineField('Email', 'Email', 'email'),
      text('Title', 'Title', 128),
      text('Department', 'Department', 80),
      leadSource(),
      defineField('Birthdate', 'Birthdate', 'date'),
      defineField('Description', 'Contact Description', 'textarea', { length: 32_000 }),
      owner(),
      flag('HasOptedOutOfEmail', 'Email Opt Out'),
      flag('DoNotCall', 'Do Not Call'),
      ...extra,
    ],
  });
}

/** Returns the object Account. An account is an organisation, a household or, with person accounts, a person. */
export function accountObject(extra: readonly Field[]): ObjectType {
  return defineObject({
    name: 'Account',
    label: 'Account',
    keyPrefix: '001',
    mergeable: true,
    cascade: [{ type: 'Contact', field: 'AccountId' }],
    fields: [
      text('Name', 'Account Name', 255, { required: true }),
      defineField('Type', 'Account Type', 'picklist', {
        picklist: ['Household', 'Foundation', 'Corporate', 'Nonprofit', 'Other'],
      }),
      lookup('ParentId', 'Parent Account ID', {
        to: 'Account',
        relationship: 'Parent',
        children: 'ChildAccounts',
      }),
      ...addressFields('Billing', 'Billing'),
      defineField('Phone', 'Account Phone', 'phone'),
      defineField('Website', 'Website', 'url'),
      defineField('Industry', 'Industry', 'picklist', {
        picklist: ['Banking', 'Education', 'Healthcare', 'Not For Profit', 'Other'],
      }),
      defineField('AnnualRevenue', 'Annual Revenue', 'currency', { precision: 18, scale: 0 }),
      defineField('NumberOfEmployees', 'Employees', 'int', { precision: 8 }),
      defineField('Description', 'Account Description', 'textarea', { length: 32_000 }),
      owner(),
      ...extra,
    ],
  });
}

/** Returns the object Lead. A lead is a person who is not a contact yet. */
export function leadObject(): ObjectType {
  return defineObject({
    name: 'Lead',
    label: 'Lead',
    keyPrefix: '00Q',
    mergeable: true,
    cascade: [{ type: 'CampaignMember', field: 'LeadId' }],
    fields: [
      ...personNameFields(),
      text('Company', 'Company', 255, { required: true }),
      text('Title', 'Title', 128),
      defineField('Email', 'Email', 'email'),
      defineField('Phone', 'Phone', 'phone'),
      leadSource(),
      defineField('Status', 'Status', 'picklist', {
        required: true,
        picklist: ['Open - Not Contacted', 'Working - Contacted', 'Closed - Not Converted'],
        defaultValue: 'Open - Not Contacted',
      }),
      readOnly(flag('IsConverted', 'Converted')),
      owner(['Group']),
    ],
  });
}

/** Returns a checkbox that is not ticked by default. */
export function flag(name: string, label: string): Field {
  return defineField(name, label, 'boolean', { required: true, defaultValue: 0 });
}

/** The SQL that composes a person's name. */
export const PERSON_NAME_SQL = `trim(coalesce({t}."FirstName" || ' ', '') || coalesce({t}."LastName", ''))`;

function personNameFields(): Field[] {
  return [
    text('LastName', 'Last Name', 80, { required: true }),
    text('FirstName', 'First Name', 40),
    defineField('Salutation', 'Salutation', 'picklist', {
      length: 40,
      picklist: ['Mr.', 'Ms.', 'Mrs.', 'Dr.', 'Prof.', 'Mx.'],
    }),
    readOnly(text('Name', 'Full Name', 121, { required: true, expression: PERSON_NAME_SQL })),
  ];
}

function leadSource(): Field {
  return defineField('LeadSource', 'Lead Source', 'picklist', {
    picklist: ['Web', 'Phone Inquiry', 'Partner Referral', 'Purchased List', 'Other'],
  });
}

/** Returns the field with a record's owner. `others` are other objects that can own the record, for example queues. */
function owner(others?: string[]): Field {
  const reference = { to: 'User', relationship: 'Owner', others };
  return lookup('OwnerId', 'Owner ID', reference, { required: true });
}
