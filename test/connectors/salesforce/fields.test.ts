import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector } from '../../../connectors/contract.ts';
import type { FieldSpec } from '../../../src/core/crm-field.ts';
import {
  type Answer,
  field,
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

const SPEC: FieldSpec = {
  name: 'New__c',
  label: 'New',
  type: 'text',
  maxLength: 40,
  description: 'Is new.',
};

const fieldSchema = z.object({ FullName: z.string(), Metadata: z.record(z.string(), z.unknown()) });
const permissionsSchema = z.object({ records: z.array(z.looseObject({ Field: z.string() })) });

const CREATED: Answer = { status: 201, body: { id: '00N', success: true, errors: [] } };

describe('the fields of Contact', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;
  /** The description contains these fields. A test can add fields later. */
  let visible: object[];

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    visible = [field('FirstName'), field('LastName')];
    crm.script(({ path }) =>
      path === '/sobjects/Contact/describe'
        ? { body: { updateable: true, fields: visible } }
        : null,
    );
  });

  afterEach(() => crm.close());

  it.each([
    ['string', { length: 80 }, { type: 'text', maxLength: 80 }],
    ['textarea', { length: 255 }, { type: 'longText', maxLength: 255 }],
    ['url', { length: 255 }, { type: 'url', maxLength: 255 }],
    ['email', { length: 80 }, { type: 'text', maxLength: 80 }],
    ['int', { digits: 9 }, { type: 'integer', integerDigits: 9, decimalDigits: 0 }],
    [
      'double',
      { precision: 18, scale: 0 },
      { type: 'number', integerDigits: 18, decimalDigits: 0 },
    ],
    [
      'currency',
      { precision: 18, scale: 2 },
      { type: 'currency', integerDigits: 16, decimalDigits: 2 },
    ],
    [
      'percent',
      { precision: 5, scale: 2 },
      { type: 'percent', integerDigits: 3, decimalDigits: 2 },
    ],
    ['boolean', {}, { type: 'boolean', maxLength: null }],
    ['date', {}, { type: 'date' }],
    ['datetime', {}, { type: 'datetime' }],
    ['reference', { length: 18 }, { type: 'text', writable: false }],
    ['string', { calculated: true }, { writable: false }],
    ['string', { autoNumber: true }, { writable: false }],
    ['string', { updateable: false }, { writable: false }],
  ])('describes %s %o', async (type, facts, expected) => {
    visible.push(field('It__c', { type, ...facts }));
    connector = await crm.connector();
    const described = (await connector.describeFields()).find(({ name }) => name === 'It__c');
    expect(described).toMatchObject({ writable: true, ...expected });
  });

  it('offers the active options of a picklist and says whether it takes others', async () => {
    const picklistValues = [
      { value: 'A', active: true },
      { value: 'Old', active: false },
    ];
    visible.push(
      field('It__c', { type: 'multipicklist', picklistValues, restrictedPicklist: true }),
    );
    connector = await crm.connector();
    expect(await connector.describeFields()).toContainEqual(
      expect.objectContaining({ type: 'multiPicklist', options: ['A'], restricted: true }),
    );
  });

  it('leaves out what holds no single value', async () => {
    visible.push(field('MailingAddress', { type: 'address' }));
    connector = await crm.connector();
    const names = (await connector.describeFields()).map(({ name }) => name);
    expect(names).toEqual(['FirstName', 'LastName']);
  });

  describe('that are created', () => {
    it('become visible and editable through a permission set of their own', async () => {
      setup({});
      connector = await crm.connector();
      expect(await connector.createFields([SPEC])).toEqual([
        { name: 'New__c', result: 'created', problem: null },
      ]);
      expect(asked()).toEqual([
        'POST /tooling/sobjects/CustomField',
        'POST /sobjects/PermissionSet',
        'POST /composite/sobjects',
        'POST /sobjects/PermissionSetAssignment',
      ]);
      expect(created()).toEqual([
        {
          FullName: 'Contact.New__c',
          Metadata: {
            label: 'New',
            description: 'Is new.',
            inlineHelpText: 'Is new.',
            type: 'Text',
            length: 40,
          },
        },
      ]);
    });

    it.each([
      [
        { type: 'longText', maxLength: 200 },
        { type: 'LongTextArea', length: 256, visibleLines: 5 },
      ],
      [
        { type: 'text', maxLength: 1000 },
        { type: 'LongTextArea', length: 1000 },
      ],
      [{ type: 'url' }, { type: 'Url' }],
      [{ type: 'integer' }, { type: 'Number', precision: 18, scale: 0 }],
      [{ type: 'currency' }, { type: 'Currency', precision: 18, scale: 2 }],
      [{ type: 'percent' }, { type: 'Percent', precision: 5, scale: 2 }],
      [{ type: 'boolean' }, { type: 'Checkbox', defaultValue: false }],
      [{ type: 'datetime' }, { type: 'DateTime' }],
    ] as const)('have the type that was asked for: %o', async (spec, metadata) => {
      setup({});
      connector = await crm.connector();
      const { name, label, description } = SPEC;
      await connector.createFields([{ name, label, description, ...spec }]);
      expect(created()[0]?.Metadata).toMatchObject(metadata);
    });

    it('are left alone when they are there', async () => {
      visible.push(field('New__c'));
      connector = await crm.connector();
      expect(await connector.createFields([SPEC])).toMatchObject([{ result: 'existed' }]);
      expect(asked()).toEqual([]);
    });

    it('are granted when they exist and no user sees them', async () => {
      setup({ creation: refused(400, 'DUPLICATE_DEVELOPER_NAME') });
      connector = await crm.connector();
      expect(await connector.createFields([SPEC])).toEqual([
        { name: 'New__c', result: 'existed', problem: null },
      ]);
      expect(granted()).toEqual(['Contact.New__c']);
    });

    it('use the permission set and the assignment that are there', async () => {
      setup({ isSetThere: true });
      connector = await crm.connector();
      await connector.createFields([SPEC]);
      expect(asked()).toEqual(['POST /tooling/sobjects/CustomField', 'POST /composite/sobjects']);
    });

    it('say who can help when the user may not create fields', async () => {
      setup({ creation: refused(403, 'INSUFFICIENT_ACCESS') });
      connector = await crm.connector();
      const other = { ...SPEC, name: 'no custom name' };
      expect(await connector.createFields([SPEC, other])).toMatchObject([
        { result: 'failed', problem: expect.stringContaining('Customize Application') },
        { result: 'failed', problem: expect.stringContaining('__c') },
      ]);
    });

    it('are reported when a grant does not show in time', async () => {
      setup({ appears: false });
      connector = await crm.connector();
      expect(await connector.createFields([SPEC])).toMatchObject([
        { name: 'New__c', result: 'failed', problem: expect.stringContaining('try again') },
      ]);
    });
  });

  /** Sets the responses for the setup of an org. The granted field then appears in the description. */
  function setup({ creation = CREATED, isSetThere = false, appears = true }): void {
    crm.script(({ method, path, body }) => {
      if (path === '/tooling/sobjects/CustomField') return creation;
      if (method === 'POST' && path.startsWith('/sobjects/')) {
        return { status: 201, body: { id: '0PS000000000001AAA', success: true, errors: [] } };
      }
      if (path === '/composite/sobjects') {
        const { records: rows } = permissionsSchema.parse(JSON.parse(body));
        if (appears) visible.push(...rows.map(({ Field }) => field(Field.replace('Contact.', ''))));
        return { body: rows.map(() => ({ success: true, errors: [] })) };
      }
      if (!path.startsWith('/query?')) return null;
      const isPermission = path.includes('FROM FieldPermissions');
      return isSetThere && !isPermission ? records({ Id: '0PS000000000001AAA' }) : records();
    });
  }

  function asked(): string[] {
    return crm.asked
      .filter(({ method, path }) => method !== 'GET' && !path.includes('oauth2'))
      .map(({ method, path }) => `${method} ${path}`);
  }

  function created() {
    return crm.asked
      .filter(({ path }) => path === '/tooling/sobjects/CustomField')
      .map(({ body }) => fieldSchema.parse(JSON.parse(body)));
  }

  function granted(): string[] {
    return crm.asked
      .filter(({ path }) => path === '/composite/sobjects')
      .flatMap(({ body }) => permissionsSchema.parse(JSON.parse(body)).records)
      .map(({ Field }) => Field);
  }
});
