/**
 * Compiles a project's Lightning web components with Salesforce's own compiler, for the stand-in's record page.
 * Salesforce's base components and Lightning Data Service exist only on Salesforce's servers, so simple components
 * replace them.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transformSync } from '@lwc/compiler';

/** The API version. The version determines how the compiler interprets a component. */
const API_VERSION = 67;

const ENGINE = createRequire(import.meta.url).resolve('@lwc/engine-dom/dist/index.js');

/** The sources of a component, by file extension. */
interface Source {
  js: string;
  html: string;
}

/**
 * Returns the modules by the name under which other modules import them. Throws an error if the compiler refuses a
 * file.
 */
export function compileComponents(project: ReadonlyMap<string, string>): Map<string, string> {
  const modules = new Map([
    ['lwc', readFileSync(ENGINE, 'utf8').replaceAll('process.env.NODE_ENV', '"development"')],
    ['lightning/uiRecordApi', DATA_SERVICE],
    ...compile('lightning', 'card', CARD),
    ...compile('lightning', 'buttonIcon', BUTTON_ICON),
  ]);
  for (const [path, js] of project) {
    const [, name] = /\/lwc\/(\w+)\/\1\.js$/.exec(path) ?? [];
    if (name === undefined) continue;
    const html = project.get(path.replace(/\.js$/, '.html')) ?? '';
    for (const [module, text] of compile('c', name, { js, html })) modules.set(module, text);
  }
  return modules;
}

function compile(namespace: string, name: string, { js, html }: Source): [string, string][] {
  const transform = (text: string, file: string) =>
    transformSync(text, file, { name, namespace, apiVersion: API_VERSION }).code;
  return [
    [`${namespace}/${name}`, transform(js, `${name}.js`)],
    [`${namespace}/${name}.html`, transform(html, `${name}.html`)],
    // A compiled component always imports both style sheets, even if a style sheet does not exist.
    [`${namespace}/${name}.css`, 'export default undefined;'],
    [`${namespace}/${name}.scoped.css`, 'export default undefined;'],
  ];
}

const CARD: Source = {
  js: `import { LightningElement, api } from 'lwc';
export default class Card extends LightningElement { @api title; @api iconName; }`,
  html: '<template><article><h2>{title}</h2><slot name="actions"></slot><slot></slot></article></template>',
};

const BUTTON_ICON: Source = {
  js: `import { LightningElement, api } from 'lwc';
export default class ButtonIcon extends LightningElement { @api iconName; @api alternativeText; @api title; }`,
  html: '<template><button type="button" aria-label={alternativeText}>{title}</button></template>',
};

/** A wire adapter that behaves like `getRecord`. It uses the record resource in the User Interface API. */
const DATA_SERVICE = `
const adapters = new Set();
export class getRecord {
  constructor(callback) { this.callback = callback; this.config = {}; callback({ data: undefined, error: undefined }); }
  connect() { adapters.add(this); }
  disconnect() { adapters.delete(this); }
  update(config) { this.config = config; this.read(); }
  async read() {
    const { recordId, optionalFields } = this.config;
    if (!recordId || !optionalFields) return;
    const query = new URLSearchParams({ optionalFields: optionalFields.join(',') });
    const response = await fetch('/lightning/ui-api/records/' + recordId + '?' + query);
    const body = await response.json();
    this.callback(response.ok ? { data: body, error: undefined } : { data: undefined, error: body });
  }
}
export async function notifyRecordUpdateAvailable(records) {
  const ids = records.map(({ recordId }) => recordId);
  await Promise.all([...adapters].filter(({ config }) => ids.includes(config.recordId)).map((adapter) => adapter.read()));
}
`;
