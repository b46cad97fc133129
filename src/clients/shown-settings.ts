/** The settings of an integration without their secrets, for people to read and to apply again. */
import { Document, visit } from 'yaml';
import type { Integration } from '../core/integration-settings.ts';
import { isActing, plainJson } from '../core/printable.ts';

/** Long texts stay on one line, so each line is one setting. */
const YAML_STYLE = { lineWidth: 0 };

/**
 * Returns settings as YAML. A text with active characters is quoted and escaped, and applying it gives the same value.
 */
export function toYaml(settings: object): string {
  const document = new Document(settings);
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && isActing(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return plainJson(document.toString(YAML_STYLE));
}

/** The settings that may be shown. */
export interface ShownSettings {
  settings: unknown;
  /** The variables that replace secrets, in the order of the settings. */
  variables: string[];
}

/** The names of settings whose values are secrets: `apiKey`, `clientSecret`, `refreshToken`, … */
const SECRET_NAME = /key|secret|token|password|passphrase|credential/i;

/** These contain keys and sign-ins. Elsewhere, a word like "key" is the name of a field or a network. */
const SECRET_PARTS: readonly string[] = ['partner', 'crm'];

/**
 * Returns an integration with a `${NAME}` in place of each secret. A secret is a webhook's address, or a URL with a
 * password. A text or number in `partner` or `crm` is also a secret if its key, or a key above it, sounds like one. The
 * variable's name consists of the integration's ID and the setting's path: `crm.auth.token` of `riverside` is
 * `RIVERSIDE_CRM_AUTH_TOKEN`. A plain `${` is written as `$${`, so reading gives the same settings again.
 */
export function hideSecrets(integration: Integration): ShownSettings {
  const variables: string[] = [];

  function show(value: unknown, path: readonly string[], isSecret: boolean): unknown {
    if (Array.isArray(value)) {
      return value.map((item, index) => show(item, [...path, String(index + 1)], isSecret));
    }
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([name, inner]) => {
        const innerPath = [...path, name];
        return [name, show(inner, innerPath, isSecret || soundsSecret(innerPath))];
      });
      return Object.fromEntries(entries);
    }
    const isText = typeof value === 'string';
    if ((isSecret && (isText || typeof value === 'number')) || (isText && holdsPassword(value))) {
      const variable = variableName([integration.id, ...path], variables);
      variables.push(variable);
      return `\${${variable}}`;
    }
    return isText ? value.replaceAll(`\${`, `$$$\${`) : value;
  }

  return { settings: show(integration, [], false), variables };
}

function soundsSecret(path: readonly string[]): boolean {
  const [part = '', ...names] = path;
  // Anyone who has the address of a chat can post there.
  if (part === 'alerts') return names.at(-1) === 'url';
  return SECRET_PARTS.includes(part) && SECRET_NAME.test(names.at(-1) ?? '');
}

function holdsPassword(text: string): boolean {
  return Boolean(URL.parse(text)?.password);
}

/**
 * Returns a variable's name, such as `RIVERSIDE_PARTNER_API_KEY` for `['riverside', 'partner', 'apiKey']`. Each name is
 * used only once.
 */
function variableName(path: readonly string[], taken: readonly string[]): string {
  const words = path
    .join('_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
  // Unlike an ID, a variable's name never starts with a digit.
  const name = words.replace(/^(?=\d)/, '_');
  const twins = taken.filter((other) => other.replace(/__\d+$/, '') === name).length;
  return twins === 0 ? name : `${name}__${twins + 1}`;
}

/** Returns the variables that replace secrets, in the order of the settings. */
export function listVariables(shown: unknown): string[] {
  if (typeof shown === 'string') return /^\$\{(\w+)\}$/.exec(shown)?.slice(1) ?? [];
  if (typeof shown !== 'object' || shown === null) return [];
  return Object.values(shown).flatMap(listVariables);
}
