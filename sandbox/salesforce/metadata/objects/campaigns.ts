/** Campaigns, their members, and reports. */

import { defineField, lookup, readOnly, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';
import { flag } from './people.ts';

/** Returns the objects that group people. */
export function campaignObjects(): ObjectType[] {
  return [
    defineObject({
      name: 'Campaign',
      label: 'Campaign',
      keyPrefix: '701',
      cascade: [{ type: 'CampaignMember', field: 'CampaignId' }],
      fields: [
        text('Name', 'Name', 80, { required: true }),
        lookup('ParentId', 'Parent Campaign ID', {
          to: 'Campaign',
          relationship: 'Parent',
          children: 'ChildCampaigns',
        }),
        defineField('Type', 'Type', 'picklist', {
          picklist: ['Conference', 'Email', 'Advertisement', 'Other'],
        }),
        defineField('Status', 'Status', 'picklist', {
          picklist: ['Planned', 'In Progress', 'Completed', 'Aborted'],
          defaultValue: 'Planned',
        }),
        flag('IsActive', 'Active'),
        defineField('StartDate', 'Start Date', 'date'),
        defineField('EndDate', 'End Date', 'date'),
        defineField('Description', 'Description', 'textarea', { length: 32_000 }),
        countOfMembers('NumberOfContacts', 'Contacts in Campaign', 'ContactId'),
        countOfMembers('NumberOfLeads', 'Leads in Campaign', 'LeadId'),
        lookup('OwnerId', 'Owner ID', { to: 'User', relationship: 'Owner' }, { required: true }),
      ],
    }),
    defineObject({
      name: 'CampaignMember',
      label: 'Campaign Member',
      keyPrefix: '00v',
      unique: [
        ['CampaignId', 'ContactId'],
        ['CampaignId', 'LeadId'],
      ],
      fields: [
        lookup(
          'CampaignId',
          'Campaign ID',
          { to: 'Campaign', relationship: 'Campaign', children: 'CampaignMembers' },
          { required: true, updateable: false },
        ),
        lookup(
          'LeadId',
          'Lead ID',
          { to: 'Lead', relationship: 'Lead', children: 'CampaignMembers' },
          { updateable: false },
        ),
        lookup(
          'ContactId',
          'Contact ID',
          { to: 'Contact', relationship: 'Contact', children: 'CampaignMembers' },
          { updateable: false },
        ),
        defineField('Status', 'Status', 'picklist', {
          length: 40,
          picklist: ['Sent', 'Responded'],
          defaultValue: 'Sent',
        }),
        readOnly(
          defineField('HasResponded', 'Responded', 'boolean', {
            required: true,
            expression: `({t}."Status" is 'Responded')`,
          }),
        ),
      ],
    }),
    defineObject({
      name: 'Report',
      label: 'Report',
      keyPrefix: '00O',
      createable: false,
      updateable: false,
      fields: [
        text('Name', 'Report Name', 40, { required: true }),
        text('DeveloperName', 'Report Unique Name', 80, { required: true }),
        text('FolderName', 'Folder Name', 255),
        defineField('Description', 'Description', 'textarea', { length: 255 }),
        defineField('Format', 'Format', 'picklist', { picklist: ['Tabular', 'Summary', 'Matrix'] }),
        defineField('LastRunDate', 'Last Run', 'datetime'),
      ],
    }),
  ];
}

function countOfMembers(name: string, label: string, field: string) {
  const expression = `(select count(*) from "CampaignMember" m where m."CampaignId" = {t}."Id"
    and m."${field}" is not null and m."IsDeleted" = 0)`;
  return readOnly(defineField(name, label, 'int', { precision: 8, required: true, expression }));
}
