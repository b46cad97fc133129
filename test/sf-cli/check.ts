/**
 * Uses the Salesforce sandbox with the official command line `sf`, and prints whether each command succeeded. Run
 * `node test/sf-cli/check.ts [path of sf]`. The default for the path is SF_CLI, or the `sf` on the PATH. If no `sf`
 * exists, the script checks nothing, and this does not count as a failure.
 */

import { execFile } from 'node:child_process';
import { access, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { salesforceConnector } from '../../connectors/salesforce/connector.ts';
import { type SalesforceSandbox, startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';

/** The number of contacts. Both a query and a bulk query need more than one page for them. */
const CONTACTS = 2500;
const BULK_PAGE_ROWS = 1000;
const COMMAND_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

interface World {
  org: SalesforceSandbox;
  /** A folder that is deleted at the end. */
  folder: string;
  /** Returns its JSON result, or throws an error with the command's message. */
  sf(...args: string[]): Promise<unknown>;
  /** Runs a command. Returns everything that it prints. */
  print(...args: string[]): Promise<string>;
}

interface Step {
  name: string;
  /** Throws an error if the command failed. */
  run(world: World): Promise<void>;
}

const STEPS: readonly Step[] = [
  { name: 'project convert source, of deploy/salesforce', run: convertSource },
  { name: 'org login access-token', run: signInByToken },
  { name: 'org login jwt', run: signInByAssertion },
  { name: 'data query', run: querySome },
  { name: 'data query, many pages', run: queryAll },
  { name: 'data query --result-format csv', run: queryAsCsv },
  { name: 'data query, summed up', run: querySums },
  { name: 'data query --use-tooling-api', run: queryTooling },
  { name: 'data create, get, update and delete record', run: editRecord },
  { name: 'data export bulk', run: exportInBulk },
  { name: 'data update bulk', run: updateInBulk },
  { name: 'data import bulk and delete bulk', run: importAndDeleteInBulk },
  { name: 'sobject describe', run: describeContact },
  { name: 'sobject list', run: listObjects },
  { name: 'org list limits', run: listLimits },
  { name: 'org assign permset', run: assignPermissionSet },
  { name: 'org display, display user, list, list auth and list users', run: showOrg },
  { name: 'org list sobject record-counts', run: countRecords },
  { name: 'data search', run: searchContacts },
  { name: 'data upsert bulk and bulk results', run: upsertInBulk },
  { name: 'data export, update and upsert resume', run: resumeJobs },
  { name: 'data export tree', run: exportTree },
  { name: 'api request rest', run: requestRest },
  { name: 'api request graphql, which an org of this kind does not have', run: requestGraphql },
  { name: 'org logout', run: signOut },
];

const program = await findProgram();
if (program === null) {
  print('There is no sf here: nothing is checked. Give its path, or set SF_CLI.');
} else {
  process.exitCode = (await checkAll(program)) ? 0 : 1;
}

/** Runs all steps. Returns true if all steps succeeded. Each step can depend on earlier steps. */
async function checkAll(program: string): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'donor-sync-sf-'));
  const org = await startSalesforceSandbox({ contacts: CONTACTS, bulkPageRows: BULK_PAGE_ROWS });
  const world = createWorld(program, org, folder);
  let failures = 0;
  try {
    for (const step of STEPS) {
      const problem = await problemOf(step, world);
      if (problem !== null) failures += 1;
      print(problem === null ? `ok      ${step.name}` : `failed  ${step.name}: ${problem}`);
    }
  } finally {
    await org.close();
    await rm(folder, { recursive: true, force: true });
  }
  return failures === 0;
}

async function problemOf(step: Step, world: World): Promise<string | null> {
  try {
    await step.run(world);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/** Checks that the source of the fields can be deployed. The check does not need an org. */
async function convertSource({ sf, folder }: World): Promise<void> {
  const project = path.join(import.meta.dirname, '../../deploy/salesforce');
  await cp(project, folder, { recursive: true });
  const answer = await sf('project', 'convert', 'source', '--output-dir', 'converted');
  z.object({ location: z.string() }).parse(answer);
  const manifest = await readFile(path.join(folder, 'converted', 'package.xml'), 'utf8');
  const members = [...manifest.matchAll(/<members>([^<]*)</g)].map(([, member]) => member);
  for (const { to } of salesforceConnector.defaultFields) {
    expectSame(members.includes(`Contact.${to}`), true);
  }
}

async function signInByToken({ sf, org }: World): Promise<void> {
  const url = ['--instance-url', org.baseUrl];
  const answer = await sf('org', 'login', 'access-token', ...url, '--no-prompt', '--set-default');
  const { username } = z.object({ username: z.string() }).parse(answer);
  expectSame(username, org.username);
}

async function signInByAssertion({ sf, org, folder }: World): Promise<void> {
  const key = path.join(folder, 'key.pem');
  await writeFile(key, org.privateKey, { mode: 0o600 });
  const user = ['--client-id', org.clientId, '--username', org.username];
  const place = ['--jwt-key-file', key, '--instance-url', org.baseUrl, '--set-default'];
  const answer = await sf('org', 'login', 'jwt', ...user, ...place);
  expectSame(z.object({ orgId: z.string() }).parse(answer).orgId.slice(0, 3), '00D');
}

async function querySome(world: World): Promise<void> {
  const soql = 'SELECT Id, LastName, Account.Name FROM Contact ORDER BY Id LIMIT 5';
  const records = await query(world, soql);
  expectSame(records.length, 5);
  z.object({ Account: z.object({ Name: z.string() }) }).parse(records[0]);
}

async function queryAll(world: World): Promise<void> {
  const records = await query(world, 'SELECT Id FROM Contact');
  expectSame(new Set(records.map(({ Id }) => Id)).size, CONTACTS);
}

async function queryAsCsv({ print }: World): Promise<void> {
  const soql = 'SELECT Id, LastName, Account.Name FROM Contact ORDER BY Id LIMIT 3';
  const text = await print('data', 'query', '--query', soql, '--result-format', 'csv');
  const lines = text.trim().split('\n');
  expectSame(lines[0], 'Id,LastName,Account.Name');
  expectSame(lines.length, 4);
}

async function querySums({ print }: World): Promise<void> {
  const soql = 'SELECT LeadSource, COUNT(Id) FROM Contact GROUP BY LeadSource';
  const text = await print('data', 'query', '--query', soql, '--result-format', 'csv');
  expectSame(text.trim().split('\n')[0], 'LeadSource,COUNT(Id)');
}

async function queryTooling(world: World): Promise<void> {
  const soql = 'SELECT Id, DeveloperName FROM CustomField';
  const answer = await world.sf('data', 'query', '--query', soql, '--use-tooling-api');
  z.object({ totalSize: z.number() }).parse(answer);
}

async function editRecord(world: World): Promise<void> {
  const contact = ['--sobject', 'Contact'];
  const created = await world.sf(...record('create', contact, "FirstName='Ada' LastName='Byron'"));
  const { id } = z.object({ id: z.string() }).parse(created);
  const one = [...contact, '--record-id', id];
  await world.sf(...record('update', one, "LastName='Lovelace' Title='Countess'"));
  const read = await world.sf('data', 'get', 'record', ...one);
  expectSame(z.object({ Name: z.string() }).parse(read).Name, 'Ada Lovelace');
  await world.sf('data', 'delete', 'record', ...one);
  expectSame((await query(world, `SELECT Id FROM Contact WHERE Id = '${id}'`)).length, 0);
}

function record(verb: string, what: string[], values: string): string[] {
  return ['data', verb, 'record', ...what, '--values', values];
}

async function exportInBulk({ sf, folder }: World): Promise<void> {
  const file = path.join(folder, 'contacts.csv');
  const soql = 'SELECT Id, FirstName, LastName FROM Contact';
  await sf(...bulk('export'), '--query', soql, '--output-file', file);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  expectSame(new Set(lines).size, CONTACTS + 1);
}

async function updateInBulk(world: World): Promise<void> {
  const ids = (await query(world, 'SELECT Id FROM Contact LIMIT 300')).map(({ Id }) => Id);
  const lines = ids.map((id) => `${id},Checked`);
  const file = await writeCsv(world, ['Id,Department', ...lines]);
  const answer = await world.sf(...bulk('update'), '--sobject', 'Contact', '--file', file);
  expectSame(jobInfo(answer).successfulRecords, 300);
  const changed = await query(world, "SELECT Id FROM Contact WHERE Department = 'Checked'");
  expectSame(changed.length, 300);
}

async function importAndDeleteInBulk(world: World): Promise<void> {
  const names = Array.from({ length: 20 }, (_, number) => `Imported,Person ${number}`);
  const file = await writeCsv(world, ['FirstName,LastName', ...names]);
  const answer = await world.sf(...bulk('import'), '--sobject', 'Contact', '--file', file);
  expectSame(jobInfo(answer).successfulRecords, 20);
  const imported = await query(world, "SELECT Id FROM Contact WHERE FirstName = 'Imported'");
  const ids = await writeCsv(world, ['Id', ...imported.map(({ Id }) => Id)]);
  await world.sf(...bulk('delete'), '--sobject', 'Contact', '--file', ids);
  expectSame((await query(world, "SELECT Id FROM Contact WHERE FirstName = 'Imported'")).length, 0);
}

async function describeContact({ sf }: World): Promise<void> {
  const answer = await sf('sobject', 'describe', '--sobject', 'Contact');
  const { fields } = z.object({ fields: z.array(z.object({ name: z.string() })) }).parse(answer);
  expectSame(
    fields.some(({ name }) => name === 'MailingCity'),
    true,
  );
}

async function listObjects({ sf }: World): Promise<void> {
  const names = z.array(z.string()).parse(await sf('sobject', 'list', '--sobject', 'all'));
  expectSame(names.includes('Contact'), true);
}

async function listLimits({ sf }: World): Promise<void> {
  const limits = z.array(z.object({ name: z.string(), remaining: z.number() }));
  const found = limits.parse(await sf('org', 'list', 'limits'));
  expectSame(
    found.some(({ name }) => name === 'DailyApiRequests'),
    true,
  );
}

async function assignPermissionSet(world: World): Promise<void> {
  const values = "Name='Sf_Check' Label='Check'";
  await world.sf(...record('create', ['--sobject', 'PermissionSet'], values));
  await world.sf('org', 'assign', 'permset', '--name', 'Sf_Check');
  const soql = "SELECT Id FROM PermissionSetAssignment WHERE PermissionSet.Name = 'Sf_Check'";
  expectSame((await query(world, soql)).length, 1);
}

async function showOrg({ sf, org }: World): Promise<void> {
  const shown = z.object({ username: z.string(), id: z.string() });
  expectSame(shown.parse(await sf('org', 'display')).username, org.username);
  const user = z.object({ username: z.string(), profileName: z.string() });
  expectSame(user.parse(await sf('org', 'display', 'user')).username, org.username);
  const listed = z.object({ nonScratchOrgs: z.array(z.object({ username: z.string() })) });
  const { nonScratchOrgs } = listed.parse(await sf('org', 'list'));
  expectSame(
    nonScratchOrgs.some(({ username }) => username === org.username),
    true,
  );
  for (const what of ['auth', 'users']) {
    const users = z.array(z.object({ username: z.string() })).parse(await sf('org', 'list', what));
    expectSame(
      users.some(({ username }) => username === org.username),
      true,
    );
  }
}

async function countRecords({ sf }: World): Promise<void> {
  const counts = z.array(z.object({ name: z.string(), count: z.number() }));
  const answer = await sf('org', 'list', 'sobject', 'record-counts', '--sobject', 'Contact');
  expectSame(counts.parse(answer)[0]?.name, 'Contact');
}

async function searchContacts(world: World): Promise<void> {
  const soql = 'SELECT Id, LastName FROM Contact LIMIT 1';
  const names = z.array(z.object({ Id: z.string(), LastName: z.string() }));
  const [contact] = names.parse(await query(world, soql));
  const sosl = `FIND {${contact?.LastName}} IN NAME FIELDS RETURNING Contact(Id, LastName)`;
  const found = z.object({ searchRecords: z.array(z.object({ Id: z.string() })) });
  const { searchRecords } = found.parse(await world.sf('data', 'search', '--query', sosl));
  expectSame(
    searchRecords.some(({ Id }) => Id === contact?.Id),
    true,
  );
}

async function upsertInBulk(world: World): Promise<void> {
  const ids = (await query(world, 'SELECT Id FROM Contact LIMIT 30')).map(({ Id }) => Id);
  const file = await writeCsv(world, ['Id,Department', ...ids.map((id) => `${id},Upserted`)]);
  const contact = ['--sobject', 'Contact', '--external-id', 'Id', '--file', file];
  const answer = z
    .object({ jobInfo: z.object({ id: z.string() }) })
    .parse(await world.sf(...bulk('upsert'), ...contact));
  expectSame(
    (await query(world, "SELECT Id FROM Contact WHERE Department = 'Upserted'")).length,
    30,
  );
  const results = await world.sf('data', 'bulk', 'results', '--job-id', answer.jobInfo.id);
  expectSame(z.object({ processedRecords: z.number() }).parse(results).processedRecords, 30);
}

/** Runs commands that do not wait for their job, and ask for its result later. */
async function resumeJobs(world: World): Promise<void> {
  const begun = z.object({ jobId: z.string() });
  const output = path.join(world.folder, 'resumed.csv');
  const soql = ['--query', 'SELECT Id FROM Contact', '--output-file', output];
  const job = begun.parse(await world.sf('data', 'export', 'bulk', ...soql));
  await world.sf('data', 'export', 'resume', '--job-id', job.jobId);
  expectSame((await readFile(output, 'utf8')).trim().split('\n').length, CONTACTS + 1);
  const ids = (await query(world, 'SELECT Id FROM Contact LIMIT 20')).map(({ Id }) => Id);
  const file = await writeCsv(world, ['Id,Department', ...ids.map((id) => `${id},Resumed`)]);
  const contact = ['--sobject', 'Contact', '--file', file];
  const update = begun.parse(await world.sf('data', 'update', 'bulk', ...contact));
  const resumed = await world.sf('data', 'update', 'resume', '--job-id', update.jobId);
  expectSame(jobInfo(resumed).successfulRecords, 20);
}

async function exportTree({ sf, folder }: World): Promise<void> {
  const soql = 'SELECT Id, FirstName, LastName FROM Contact LIMIT 5';
  await sf('data', 'export', 'tree', '--query', soql, '--output-dir', folder);
  const tree = z.object({ records: z.array(z.object({ LastName: z.string() })) });
  const text = await readFile(path.join(folder, 'Contact.json'), 'utf8');
  expectSame(tree.parse(JSON.parse(text)).records.length, 5);
}

async function requestRest({ print }: World): Promise<void> {
  const text = await print('api', 'request', 'rest', '/services/data/v62.0/limits');
  expectSame(text.includes('DailyApiRequests'), true);
}

/** Runs a GraphQL command, which must report its failure and not look successful. */
async function requestGraphql({ print, folder }: World): Promise<void> {
  const file = path.join(folder, 'query.txt');
  await writeFile(file, 'query { uiapi { query { Contact { edges { node { Id } } } } } }');
  const said = await print('api', 'request', 'graphql', '--body', file).catch(String);
  expectSame(said.includes('The requested resource does not exist'), true);
}

async function signOut({ sf }: World): Promise<void> {
  await sf('org', 'logout', '--all', '--no-prompt');
  const users = await sf('org', 'list', 'auth');
  expectSame(z.array(z.unknown()).parse(users).length, 0);
}

async function query({ sf }: World, soql: string): Promise<{ Id: string }[]> {
  const records = z.array(z.looseObject({ Id: z.string() }));
  return z.object({ records }).parse(await sf('data', 'query', '--query', soql)).records;
}

function bulk(verb: string): string[] {
  return ['data', verb, 'bulk', '--wait', '2'];
}

function jobInfo(answer: unknown) {
  return z.object({ successfulRecords: z.number() }).parse(answer);
}

async function writeCsv({ folder }: World, lines: string[]): Promise<string> {
  const file = path.join(folder, 'upload.csv');
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

function expectSame(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${found} was found instead of ${wanted}`);
}

/** Creates the environment for the program. It inherits no settings and no proxy. */
function createWorld(program: string, org: SalesforceSandbox, folder: string): World {
  const env = {
    // The program needs a recent version of Node, such as the version that runs this script.
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`,
    HOME: folder,
    SF_ACCESS_TOKEN: org.token,
    SF_DISABLE_TELEMETRY: 'true',
    SF_AUTOUPDATE_DISABLE: 'true',
  };

  function run(args: string[]): Promise<string> {
    const options = { env, cwd: folder, timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
    return new Promise((resolve, reject) => {
      execFile(program, args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(messageIn(stdout) ?? `${error.message}\n${stderr}\n${stdout}`));
      });
    });
  }

  return {
    org,
    folder,
    print: (...args) => run(args),
    sf: async (...args) => {
      const text = await run([...args, '--json']);
      return z.object({ result: z.unknown() }).parse(JSON.parse(text)).result;
    },
  };
}

/** Returns the error message in the JSON output, because a failing command puts it there. */
function messageIn(stdout: string): string | null {
  try {
    return z.object({ message: z.string() }).parse(JSON.parse(stdout)).message;
  } catch {
    return null;
  }
}

async function findProgram(): Promise<string | null> {
  const given = process.argv[2] ?? process.env['SF_CLI'];
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const candidates =
    given === undefined ? folders.map((folder) => path.join(folder, 'sf')) : [given];
  for (const candidate of candidates) {
    const exists = await access(candidate).then(
      () => true,
      () => false,
    );
    if (exists) return path.resolve(candidate);
  }
  return null;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
