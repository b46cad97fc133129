import { Client } from '@hubspot/api-client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { edit } from '../../../testbed/asking.ts';
import { ask, CONTACTS, contactIds, readRecord, readResults, startAccount } from '../account.ts';

type Account = Awaited<ReturnType<typeof startAccount>>;

const BATCH = '/crm/associations/2026-09/contacts/companies/batch';
const PRIMARY = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 };

/** Starts an account with a contact without an employer, and two companies. */
async function startWithoutTies() {
  const account = await startAccount();
  const contactId = await edit(account, { action: 'create', values: { lastname: 'Free' } });
  const names = ['Acme', 'Zenith'];
  const companies = await Promise.all(
    names.map((name) => edit(account, { action: 'create', type: 'companies', values: { name } })),
  );
  return { account, contactId, companies };
}

async function primaryOf(account: Account, id: string) {
  const answer = await ask(account, 'GET', `${CONTACTS}/${id}?properties=associatedcompanyid`);
  return readRecord(answer).properties['associatedcompanyid'];
}

describe('the companies of contacts', () => {
  it('are made of the employers, and are shown with the contact', async () => {
    const account = await startAccount({ contacts: 60 });
    const query = 'limit=60&associations=companies&properties=associatedcompanyid,company';
    const { results } = z
      .object({
        results: z.array(
          z.object({
            properties: z.object({
              associatedcompanyid: z.string().nullable(),
              company: z.string().nullable(),
            }),
            associations: z
              .object({
                companies: z.object({
                  results: z.array(z.object({ id: z.string(), type: z.string() })),
                }),
              })
              .optional(),
          }),
        ),
      })
      .parse((await ask(account, 'GET', `${CONTACTS}?${query}`)).body);
    for (const { properties, associations } of results) {
      const id = properties.associatedcompanyid;
      expect(associations?.companies.results).toEqual(
        id === null
          ? undefined
          : [
              { id, type: 'contact_to_company' },
              { id, type: 'contact_to_company_unlabeled' },
            ],
      );
    }
    const forms = results.map(
      ({ properties: { associatedcompanyid: id, company } }) =>
        `${id === null ? '' : 'company'} ${company === null ? '' : 'text'}`,
    );
    expect(new Set(forms)).toEqual(new Set([' ', 'company ', ' text', 'company text']));
  });

  it('are read many at once, and contacts without one are named', async () => {
    const { account, contactId } = await startWithoutTies();
    const [id = ''] = await contactIds(account, 1);
    for (const path of [BATCH, '/crm/v4/associations/0-1/0-2/batch']) {
      const body = { inputs: [{ id }, { id: contactId }] };
      const answer = await ask(account, 'POST', `${path}/read`, { body });
      expect(answer.status).toBe(207);
      expect(answer.body).toMatchObject({
        results: [
          {
            from: { id },
            to: [
              {
                associationTypes: [
                  { category: 'HUBSPOT_DEFINED', typeId: 1, label: 'Primary' },
                  { category: 'HUBSPOT_DEFINED', typeId: 279 },
                ],
              },
            ],
          },
        ],
        errors: [{ category: 'OBJECT_NOT_FOUND', context: { fromObjectId: [contactId] } }],
      });
    }
  });

  it('have one that is primary: the first, until another is named so', async () => {
    const { account, contactId, companies } = await startWithoutTies();
    const [acme = '', zenith = ''] = companies;
    const base = `/crm/v4/objects/contacts/${contactId}/associations`;
    await ask(account, 'PUT', `${base}/default/companies/${acme}`);
    expect(await primaryOf(account, contactId)).toBe(acme);
    const put = await ask(account, 'PUT', `${base}/companies/${zenith}`, { body: [PRIMARY] });
    expect(put).toMatchObject({ status: 201, body: { labels: ['Primary'], toObjectId: zenith } });
    expect(await primaryOf(account, contactId)).toBe(zenith);
    const { body } = await ask(account, 'GET', `${base}/companies`);
    expect(body).toMatchObject({
      results: [
        { toObjectId: acme, associationTypes: [{ typeId: 279 }] },
        { toObjectId: zenith, associationTypes: [{ typeId: 1 }, { typeId: 279 }] },
      ],
    });
    expect((await ask(account, 'DELETE', `${base}/companies/${zenith}`)).status).toBe(204);
    expect(await primaryOf(account, contactId)).toBe('');
  });

  it('are tied and untied many at once', async () => {
    const { account, contactId, companies } = await startWithoutTies();
    const [acme = ''] = companies;
    const inputs = [
      { from: { id: contactId }, to: { id: acme }, types: [PRIMARY] },
      { from: { id: '1' }, to: { id: acme }, types: [PRIMARY] },
    ];
    const tied = await ask(account, 'POST', `${BATCH}/create`, { body: { inputs } });
    expect(tied).toMatchObject({
      status: 207,
      body: { results: [{ toObjectId: acme }], errors: [{ context: { ids: ['1'] } }] },
    });
    expect(await primaryOf(account, contactId)).toBe(acme);
    const untie = { inputs: [{ from: { id: contactId }, to: [{ id: acme }] }] };
    const path = '/crm/v4/associations/contacts/companies/batch/archive';
    expect((await ask(account, 'POST', path, { body: untie })).status).toBe(204);
    expect((await ask(account, 'POST', `${BATCH}/archive`, { body: untie })).status).toBe(200);
    expect(await primaryOf(account, contactId)).toBe('');
  });

  it('have kinds, with a label in v4 and later, and a name in v3', async () => {
    const account = await startAccount({ contacts: 0 });
    const labels = {
      status: 200,
      body: {
        results: [
          { category: 'HUBSPOT_DEFINED', typeId: 2, label: 'Primary' },
          { category: 'HUBSPOT_DEFINED', typeId: 280 },
        ],
      },
    };
    for (const path of ['associations/2026-09', 'associations/v4', 'v4/associations']) {
      const answer = await ask(account, 'GET', `/crm/${path}/companies/contacts/labels`);
      expect(answer).toMatchObject(labels);
    }
    expect(
      await ask(account, 'GET', '/crm/v3/associations/companies/contacts/types'),
    ).toMatchObject({
      body: {
        results: [
          { id: '2', name: 'company_to_contact' },
          { id: '280', name: 'company_to_contact_unlabeled' },
        ],
      },
    });
  });

  it('are tied, read and untied by names in v3', async () => {
    const { account, contactId, companies } = await startWithoutTies();
    const [acme = '', zenith = ''] = companies;
    const client = new Client({ accessToken: account.token, basePath: account.baseUrl });
    const { batchApi } = client.crm.associations;
    const tie = (id: string, type: string) => ({ _from: { id: contactId }, to: { id }, type });
    const inputs = [tie(zenith, 'contact_to_company_unlabeled'), tie(acme, 'contact_to_company')];
    const tied = await batchApi.create('contacts', 'companies', { inputs });
    expect(tied.results).toMatchObject(inputs);
    expect(await primaryOf(account, contactId)).toBe(acme);
    const read = await batchApi.read('contacts', 'companies', { inputs: [{ id: contactId }] });
    expect(read.results).toMatchObject([
      {
        to: [
          { id: acme, type: 'contact_to_company' },
          { id: acme, type: 'contact_to_company_unlabeled' },
          { id: zenith, type: 'contact_to_company_unlabeled' },
        ],
      },
    ]);
    await batchApi.archive('contacts', 'companies', { inputs });
    expect(await primaryOf(account, contactId)).toBe('');
    const path = '/crm/v3/associations/contacts/companies/batch/create';
    const unknown = { from: { id: contactId }, to: { id: acme }, type: 'contact_to_deal' };
    const known = { ...unknown, type: 'contact_to_company' };
    const answer = await ask(account, 'POST', path, { body: { inputs: [known, unknown] } });
    expect(answer.status).toBe(400);
    expect(await primaryOf(account, contactId)).toBe('');
  });

  it('come with a new contact', async () => {
    const { account, companies } = await startWithoutTies();
    const [id = ''] = companies;
    const associations = [{ to: { id }, types: [PRIMARY] }];
    const body = { properties: { lastname: 'New' }, associations };
    const created = readRecord(await ask(account, 'POST', CONTACTS, { body }));
    expect(await primaryOf(account, created.id)).toBe(id);
    const nowhere = [{ to: { id: '1' }, types: [PRIMARY] }];
    const refused = { properties: { lastname: 'Newer' }, associations: nowhere };
    expect((await ask(account, 'POST', CONTACTS, { body: refused })).status).toBe(400);
  });

  it('stay with the contact, and with the company, when two become one', async () => {
    const { account, contactId, companies } = await startWithoutTies();
    const [acme = '', zenith = ''] = companies;
    await edit(account, { action: 'employ', id: contactId, companyId: zenith });
    const order = { action: 'merge', type: 'companies', primaryId: acme, otherId: zenith };
    const company = await edit(account, order);
    expect(await primaryOf(account, contactId)).toBe(company);
    const primaryId = await edit(account, { action: 'create', values: { lastname: 'Primary' } });
    const merged = await edit(account, { action: 'merge', primaryId, otherId: contactId });
    expect(await primaryOf(account, merged)).toBe(company);
  });

  it('are read by the official client', async () => {
    const account = await startAccount();
    const client = new Client({ accessToken: account.token, basePath: account.baseUrl });
    const [id = ''] = await contactIds(account, 1);
    const { results } = await client.crm.associations.v4.basicApi.getPage(
      'contacts',
      id,
      'companies',
    );
    const companies = await ask(account, 'GET', '/crm/v3/objects/companies?limit=100');
    expect(readResults(companies).results.map((company) => company.id)).toContain(
      results[0]?.toObjectId,
    );
  });
});
