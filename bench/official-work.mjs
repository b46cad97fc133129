/**
 * Does the same writes as `connector-work.mjs` with commonly used clients: jsforce and HubSpot's own client. The
 * process reads all IDs, writes two fields of each contact, and prints its measurements as JSON. The arguments are the
 * kind of CRM, its address and a token. For Salesforce, a further argument is `rows` (requests of 200) or `bulk`.
 */
import { measured } from './work-step.mjs';

const [kind, url, token, way] = process.argv.slice(2);
const AT_ONCE = 3;

if (kind === 'salesforce') await workInSalesforce();
else await workInHubspot();

async function workInSalesforce() {
  const { default: jsforce } = await import('jsforce');
  const org = new jsforce.Connection({ instanceUrl: url, accessToken: token, version: '67.0' });
  const ids = [];
  await measured('read', async () => {
    // The query uses the Bulk API, because the Bulk API is made for large numbers of records.
    const stream = await org.bulk2.query('select Id from Contact');
    for (const { Id } of await stream.toArray()) ids.push(Id);
    return { contacts: ids.length };
  });
  await measured('write', async () => {
    const rows = ids.map((Id, at) => ({
      ...{ Id, Title: `Friend ${at}`, Department: 'Donor relations' },
    }));
    if (way === 'bulk') {
      const input = rows;
      const results = await org.bulk2.loadAndWaitForResults({
        ...{ object: 'Contact', operation: 'update', input },
        ...{ pollInterval: 500, pollTimeout: 120_000 },
      });
      return { contacts: results.successfulResults.length };
    }
    const written = await inTurn(portionsOf(rows, 200), (portion) =>
      org.sobject('Contact').update(portion, { allowRecursive: true }),
    );
    return { contacts: written.flat().filter(({ success }) => success).length };
  });
}

async function workInHubspot() {
  const { Client } = await import('@hubspot/api-client');
  const client = new Client({ basePath: url, accessToken: token });
  let ids = [];
  await measured('read', async () => {
    const all = await client.crm.contacts.getAll(100, undefined, ['firstname']);
    ids = all.map(({ id }) => id);
    return { contacts: ids.length };
  });
  await measured('write', async () => {
    const inputs = ids.map((id, at) => ({
      ...{ id, properties: { jobtitle: `Friend ${at}`, industry: 'Donor relations' } },
    }));
    const written = await inTurn(portionsOf(inputs, 100), (portion) =>
      client.crm.contacts.batchApi.update({ inputs: portion }),
    );
    return { contacts: written.reduce((sum, { results }) => sum + results.length, 0) };
  });
}

function portionsOf(all, size) {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** Sends several requests at the same time, as the connectors do. */
async function inTurn(portions, send) {
  const answers = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = next++; at < portions.length; at = next++) {
        answers.push(await send(portions[at]));
      }
    }),
  );
  return answers;
}
