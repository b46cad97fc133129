/** Checks that Salesforce's own tool accepts the source. It checks names, folders and suffixes without an org. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { salesforceConnector } from '../../connectors/salesforce/connector.ts';
import { parseMetadata, textsOf } from '../connectors/salesforce/metadata-xml.ts';

const PROJECT = join(import.meta.dirname, '../../deploy/salesforce');
const CONVERT = join(import.meta.dirname, 'convert-source.ts');

const run = promisify(execFile);

/** The tool inherits no environment variables and has no network access. */
async function convert(project: string, folder: string) {
  const out = join(folder, 'converted');
  const nowhere = 'http://127.0.0.1:9';
  const env = { HOME: folder, SF_DISABLE_TELEMETRY: 'true', HTTPS_PROXY: nowhere };
  await run(process.execPath, [CONVERT, project, out], { env });
  const manifest = parseMetadata(await readFile(join(out, 'package.xml'), 'utf8'));
  const types = manifest.children.filter(({ name }) => name === 'types');
  return {
    version: textsOf(manifest, 'version')[0],
    members: Object.fromEntries(
      types.map((type) => [textsOf(type, 'name')[0], textsOf(type, 'members')]),
    ),
    read: async (path: string) => parseMetadata(await readFile(join(out, path), 'utf8')),
  };
}

function ofBoth(name: (who: string) => string): string[] {
  return ['contacts', 'person_accounts'].map(name);
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-convert-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('sf project convert source', () => {
  it('takes deploy/salesforce whole: the fields and the two packages', async () => {
    const { members, version, read } = await convert(PROJECT, await aFolder());
    const names = salesforceConnector.defaultFields.map(({ to }) => `Contact.${to}`);
    expect(members).toEqual({
      CustomField: expect.toSatisfy((found: string[]) => new Set(found).size === names.length),
      Dashboard: ['donor_sync/', ...ofBoth((who) => `donor_sync/donor_sync_${who}`)],
      ExternalCredential: ['donor_sync'],
      ExternalServiceRegistration: ['donorSync'],
      Flow: ['donor_sync_enhance', 'donor_sync_enhance_person_account'],
      LightningComponentBundle: ['donorSyncProfile'],
      ListView: ['Account', 'Contact'].flatMap((object) => [
        `${object}.donor_sync_high_capacity`,
        `${object}.donor_sync_warm_path`,
      ]),
      NamedCredential: ['donor_sync'],
      PermissionSet: [
        'donor_sync_enhancers',
        'donor_sync_enhancers_person_accounts',
        'donor_sync_fields',
        'donor_sync_viewers',
      ],
      QuickAction: ['Account.donor_sync_enhance_person_account', 'Contact.donor_sync_enhance'],
      Report: [
        'donor_sync/',
        ...ofBoth((who) => `donor_sync/donor_sync_high_capacity_${who}`),
        ...ofBoth((who) => `donor_sync/donor_sync_warm_path_${who}`),
      ],
      ReportType: ofBoth((who) => `donor_sync_${who}`),
    });
    expect(members['CustomField']).toEqual(expect.arrayContaining(names));
    expect(version).toBe('67.0');
    const contact = await read('objects/Contact.object');
    const fields = contact.children.filter(({ name }) => name === 'fields');
    expect(fields.map((field) => `Contact.${textsOf(field, 'fullName')[0]}`).toSorted()).toEqual(
      names.toSorted(),
    );
  });

  it('refuses a file that it does not know, so that to take ours says something', async () => {
    const folder = await aFolder();
    const project = join(folder, 'project');
    await mkdir(project);
    await cp(PROJECT, project, { recursive: true });
    const sets = join(project, 'force-app/main/default/permissionsets');
    const set = join(sets, 'donor_sync_fields.permissionset-meta.xml');
    await rename(set, join(sets, 'donor_sync_fields.permissions-meta.xml'));
    await expect(convert(project, folder)).rejects.toThrow(/could not infer|type/i);
  });
});
