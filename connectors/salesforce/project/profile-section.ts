import type { MappedFieldSpec } from '../../contract.ts';
import { escapeXml, metadataFile } from './metadata-file.ts';

const NAME = 'donorSyncProfile';

/** Its name among the components of the Lightning App Builder. */
export const SECTION_LABEL = 'donor-sync profile';

/** The pages on which it can be placed. */
const PAGE = 'lightning__RecordPage';

/**
 * A section for the record page of a contact, which an admin drags onto an existing page of the org. It is a Lightning
 * web component based on Salesforce's own form, which shows each user the fields that the user may read. It has no code
 * that runs on a server, and it writes nothing. Returns the texts by file.
 */
export function profileSection(
  apiVersion: string,
  fields: readonly MappedFieldSpec[],
): [name: string, text: string][] {
  return [
    [`${NAME}/${NAME}.html`, template(fields)],
    [`${NAME}/${NAME}.js`, SCRIPT],
    [`${NAME}/${NAME}.js-meta.xml`, description(apiVersion)],
  ];
}

const SCRIPT = `import { LightningElement, api } from 'lwc';

/** The fields that donor-sync writes, read-only. */
export default class DonorSyncProfile extends LightningElement {
    /** The contact of the page. Lightning sets it. */
    @api recordId;
}
`;

function description(apiVersion: string): string {
  return metadataFile('LightningComponentBundle', {
    apiVersion,
    isExposed: true,
    masterLabel: SECTION_LABEL,
    description: 'The fields that donor-sync writes, as far as the user may read them.',
    targets: { target: PAGE },
    targetConfigs: { targetConfig: { '@targets': PAGE, objects: { object: 'Contact' } } },
  });
}

function template(fields: readonly MappedFieldSpec[]): string {
  const isPath = ({ from }: MappedFieldSpec) => from.startsWith('warmPath.');
  return [
    '<template>',
    '    <lightning-card title="Donor profile" icon-name="standard:contact">',
    '        <div class="slds-p-horizontal_medium">',
    '            <lightning-record-view-form record-id={recordId} object-api-name="Contact">',
    ...group('Warm path', fields.filter(isPath)),
    ...group(
      'Profile',
      fields.filter((field) => !isPath(field)),
    ),
    '            </lightning-record-view-form>',
    '        </div>',
    '    </lightning-card>',
    '</template>',
    '',
  ].join('\n');
}

function group(title: string, fields: readonly MappedFieldSpec[]): string[] {
  if (fields.length === 0) return [];
  return [
    `<h3 class="slds-text-title_caps slds-m-top_small">${title}</h3>`,
    '<div class="slds-grid slds-wrap">',
    ...fields.flatMap((field) => [
      `    <div class="${getWidthClass(field)}">`,
      `        <lightning-output-field field-name="${escapeXml(field.name)}"></lightning-output-field>`,
      '    </div>',
    ]),
    '</div>',
  ].map((line) => `${' '.repeat(16)}${line}`);
}

/** A long text takes the whole width. Other fields are side by side in pairs if there is room. */
function getWidthClass({ type }: MappedFieldSpec): string {
  const full = 'slds-col slds-size_1-of-1';
  return type === 'longText' ? full : `${full} slds-large-size_1-of-2`;
}
