import type { FieldSource } from '../../../src/core/field-map.ts';
import type { MappedFieldSpec } from '../../contract.ts';
import { metadataFile } from './metadata-file.ts';

const NAME = 'donorSyncProfile';

/** The section's name in the list of components in the Lightning App Builder. */
export const SECTION_LABEL = 'donor-sync profile';

/** The type of page on which an administrator can place the section. */
const PAGE = 'lightning__RecordPage';

/**
 * Returns a section for the record page of a contact or a person account. An administrator drags the section onto an
 * existing page of the org. The section is a Lightning web component. The component reads the mapped fields through
 * Lightning Data Service, so users see only the fields that they may read. The component has no code that runs on a
 * server, and it writes nothing.
 */
export function profileSection(
  apiVersion: string,
  mapped: readonly MappedFieldSpec[],
): [name: string, text: string][] {
  // If a source is mapped to two fields, both have the same value, so the section shows the first.
  const fields = mapped.filter(
    ({ from }, at) => mapped.findIndex((field) => field.from === from) === at,
  );
  return [
    [`${NAME}/${NAME}.html`, TEMPLATE],
    [`${NAME}/${NAME}.js`, script(fields)],
    [`${NAME}/${NAME}.js-meta.xml`, description(apiVersion, fields)],
  ];
}

/**
 * Returns the property name for a field in the Lightning App Builder, such as `netWorthLowField`. Lightning web
 * components reserve names that start with `data…`, `on…` or `aria…`. None of our property names starts with these
 * letters.
 */
export function getPropertyName(source: FieldSource): string {
  const words = source.split('.').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  const joined = words.join('');
  return `${joined.charAt(0).toLowerCase()}${joined.slice(1)}Field`;
}

function description(apiVersion: string, fields: readonly MappedFieldSpec[]): string {
  const properties = fields.map(({ from, name, label }) => ({
    '@name': getPropertyName(from),
    '@type': 'String',
    '@label': `Field for: ${label}`,
    '@default': name,
    '@description': 'The name of a field of Contact. Leave it empty to hide the value.',
  }));
  return metadataFile('LightningComponentBundle', {
    apiVersion,
    isExposed: true,
    masterLabel: SECTION_LABEL,
    description: 'The fields that donor-sync writes, as far as the user may read them.',
    targets: { target: PAGE },
    targetConfigs: {
      targetConfig: {
        '@targets': PAGE,
        property: properties,
        objects: { object: ['Contact', 'Account'] },
      },
    },
  });
}

const TEMPLATE = `<template>
    <lightning-card title="Donor profile" icon-name="standard:contact">
        <lightning-button-icon
            slot="actions"
            icon-name="utility:refresh"
            alternative-text="Refresh"
            title="Refresh"
            onclick={refresh}
        ></lightning-button-icon>
        <div class="slds-p-horizontal_medium">
            <p lwc:if={notice}>{notice}</p>
            <template for:each={groups} for:item="group">
                <section key={group.title}>
                    <h3 class="slds-text-title_caps slds-m-top_small">{group.title}</h3>
                    <dl class="slds-grid slds-wrap">
                        <template for:each={group.values} for:item="value">
                            <div key={value.name} class={value.width}>
                                <dt class="slds-form-element__label">{value.label}</dt>
                                <dd class="slds-form-element__static">
                                    <a
                                        lwc:if={value.link}
                                        href={value.link}
                                        target="_blank"
                                        rel="noopener noreferrer"
                                    >{value.text}</a>
                                    <span lwc:else>{value.text}</span>
                                </dd>
                            </div>
                        </template>
                    </dl>
                </section>
            </template>
        </div>
    </lightning-card>
</template>
`;

function script(fields: readonly MappedFieldSpec[]): string {
  const isPath = ({ from }: MappedFieldSpec) => from.startsWith('warmPath.');
  const groups: [string, readonly MappedFieldSpec[]][] = [
    // The path's sentence comes first, because it contains the most information.
    ['Warm path', fields.filter(isPath).toSorted((one, other) => rank(one) - rank(other))],
    ['Profile', fields.filter((field) => !isPath(field))],
  ];
  return `import { LightningElement, api, wire } from 'lwc';
import { getRecord, notifyRecordUpdateAvailable } from 'lightning/uiRecordApi';

/** The values by group, in the order in which they are shown. */
const GROUPS = [
${groups.flatMap(([title, members]) => groupLines(title, members)).join('\n')}
];

const PERSON_ACCOUNT = 'Account.IsPersonAccount';

/** Names that an administrator can type: letters, digits and underscores. */
const FIELD_NAME = /^[A-Za-z]\\w*$/;

/** Only such an address becomes a link. Other texts in a field, such as a script, are shown as text. */
const WEB_ADDRESS = /^https:\\/\\/\\S+$/;

/** The fields that donor-sync writes, read-only. */
export default class DonorSyncProfile extends LightningElement {
    /** The record of the page. Lightning sets it. */
    @api recordId;

    /** Contact or Account. Lightning sets it. */
    @api objectApiName = 'Contact';

    // The names of the fields: an administrator can change them in the Lightning App Builder.
${fields.map(({ from, name }) => `    @api ${getPropertyName(from)} = ${quote(name)};`).join('\n')}

    /**
     * Optional fields: Lightning Data Service leaves out a field that does not exist or that the user may not read,
     * and answers with the other fields.
     */
    @wire(getRecord, { recordId: '$recordId', optionalFields: '$fieldNames' })
    record;

    get isAccount() {
        return this.objectApiName === 'Account';
    }

    get fieldNames() {
        const names = GROUPS.flatMap(({ values }) => values)
            .map(({ property }) => this.toFieldName(this[property]))
            .filter((name) => name !== null)
            .map((name) => \`\${this.objectApiName}.\${name}\`);
        return this.isAccount ? [PERSON_ACCOUNT, ...names] : names;
    }

    get groups() {
        if (!this.record.data || this.isOtherAccount) return [];
        return GROUPS.map(({ title, values }) => ({
            title,
            values: values.map((value) => this.toShown(value)).filter((shown) => shown !== null),
        })).filter(({ values }) => values.length > 0);
    }

    /** The sentence for a record without values; null if there are values, or while they are read. */
    get notice() {
        if (this.record.error) return 'The record could not be read. Reload the page, or ask your administrator for access.';
        if (!this.record.data) return null;
        if (this.isOtherAccount) return 'This account is not a person account, so it has no donor profile.';
        return this.groups.length === 0
            ? 'There is no donor profile yet, or you do not have access to its fields.'
            : null;
    }

    get isOtherAccount() {
        return this.isAccount && this.record.data?.fields.IsPersonAccount?.value !== true;
    }

    /** Reads the record again, for example after "Enhance now". */
    refresh() {
        return notifyRecordUpdateAvailable([{ recordId: this.recordId }]);
    }

    /** A person account shows the custom fields of its contact under names that end in __pc. */
    toFieldName(name) {
        const typed = String(name ?? '').trim();
        if (!FIELD_NAME.test(typed)) return null;
        return this.isAccount ? typed.replace(/__c$/, '__pc') : typed;
    }

    toShown({ property, label, wide }) {
        const name = this.toFieldName(this[property]);
        const field = name === null ? undefined : this.record.data.fields[name];
        const value = field?.value ?? null;
        if (value === null || value === '') return null;
        const text = field.displayValue ?? String(value);
        return {
            name,
            label,
            text,
            link: WEB_ADDRESS.test(text) ? text : null,
            width: wide ? 'slds-col slds-size_1-of-1' : 'slds-col slds-size_1-of-1 slds-large-size_1-of-2',
        };
    }
}
`;
}

function rank({ from }: MappedFieldSpec): number {
  return from === 'warmPath.sentence' ? 0 : 1;
}

function groupLines(title: string, fields: readonly MappedFieldSpec[]): string[] {
  if (fields.length === 0) return [];
  return [
    '    {',
    `        title: ${quote(title)},`,
    '        values: [',
    ...fields.map(
      ({ from, label, type }) =>
        `            { property: ${quote(getPropertyName(from))}, label: ${quote(label)}, wide: ${type === 'longText'} },`,
    ),
    '        ],',
    '    },',
  ];
}

const quote = JSON.stringify;
