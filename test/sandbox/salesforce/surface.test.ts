import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { send } from '../../testbed/asking.ts';
import { ask, connect, startOrg } from './org.ts';

const NOT_THERE = [
  ['GET', '/recent'],
  ['GET', '/services/oauth2/singleaccess'],
  ['POST', '/sobjects/PermissionSetLicenseAssign'],
  ['POST', '/sobjects/ContentVersion'],
  ['GET', '/sobjects/Contact/describe/compactLayouts'],
  ['GET', '/quickActions'],
  ['GET', '/chatter/users/me'],
  ['GET', '/analytics/dashboards'],
  ['POST', '/composite/tree/Contact'],
  ['POST', '/graphql'],
  ['GET', '/sobjects/Contact/describe/approvalLayouts'],
  ['GET', '/tooling/executeAnonymous'],
  ['GET', '/tooling/completions'],
  ['POST', '/services/Soap/m/67.0'],
  ['POST', '/services/async/67.0/job'],
  ['GET', '/services/apexrest/any'],
  ['POST', '/cometd/67.0'],
  ['POST', '/services/Soap/u/67.0'],
  ['POST', '/tooling/runTestsAsynchronous'],
  ['POST', '/tooling/runTestsSynchronous'],
  ['POST', '/analytics/reports?cloneId=00O000000000001AAA'],
  ['DELETE', '/analytics/reports/00O000000000001AAA'],
  ['GET', '/sobjects/Contact/quickActions'],
  ['POST', '/sobjects/PushTopic'],
  ['POST', '/sobjects/Contact/quickActions/NewTask'],
  ['GET', '/tooling/sobjects/ApexTestQueueItem'],
  ['GET', '/tooling/sobjects/Package2/describe'],
] as const;

it.each(NOT_THERE)('what this org does not have is not found: %s %s', async (method, path) => {
  const org = await startOrg();
  expect(await ask(org, method, path, method === 'POST' ? { body: {} } : {})).toMatchObject({
    status: 404,
    body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
  });
});

/** Returns the entries of the vendor's lists that no administrator of donor-sync uses. */
async function unusedResources(): Promise<string[]> {
  const page = await readFile(
    join(import.meta.dirname, '../../../docs/salesforce-surface.md'),
    'utf8',
  );
  const cells = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const unused = cells.filter((line) => line.some((cell) => /^no\b/.test(cell)));
  return unused.flatMap((line) =>
    [...(line.at(-2) ?? '').matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path),
  );
}

it('each resource of the lists that nobody uses is among them', async () => {
  // Every sign-in flow ends at the token endpoint.
  const unused = (await unusedResources()).filter((path) => path !== '/services/oauth2/token');
  expect(unused.length).toBeGreaterThan(12);
  const missing = unused.filter((path) => !NOT_THERE.some(([, tried]) => tried.includes(path)));
  expect(missing).toEqual([]);
});

it('shows the resources of a version at its root, each of which is there', async () => {
  const org = await startOrg();
  const versions = await ask(org, 'GET', '/services/data');
  expect(versions.body).toContainEqual(expect.objectContaining({ version: '67.0' }));
  const root = await ask(org, 'GET', '/');
  expect(root.status).toBe(200);
  const resources = z.record(z.string(), z.string()).parse(root.body);
  for (const name of ['sobjects', 'query', 'limits', 'composite', 'tooling', 'identity']) {
    expect(resources).toHaveProperty(name);
  }
  expect(resources['sobjects']).toBe('/services/data/v67.0/sobjects');
  for (const name of ['sobjects', 'limits', 'query', 'queryAll', 'search']) {
    const path = `${resources[name]}${name.startsWith('query') ? '?q=SELECT+Id+FROM+Contact' : ''}`;
    const { status } = await ask(org, 'GET', path);
    // A search without search words is refused. The path is not the reason.
    expect({ name, status }).toEqual({ name, status: name === 'search' ? 400 : 200 });
  }
  const headers = { authorization: `Bearer ${org.token}` };
  const identity = await send(resources['identity'] ?? '', 'GET', { headers });
  expect(identity).toMatchObject({
    status: 200,
    body: { username: org.username, id: resources['identity'] },
  });
});

it('tells the real client who it is', async () => {
  const org = await startOrg();
  const connection = connect(org);
  const { sub } = await connection.request<{ sub: string }>('/services/oauth2/userinfo');
  connection.userInfo = {
    id: sub.split('/').at(-1) ?? '',
    organizationId: sub.split('/').at(-2) ?? '',
    url: sub,
  };
  expect(await connection.identity()).toMatchObject({ username: org.username });
});
