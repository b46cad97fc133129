/** Converts an integration's settings into YAML without secrets, to show them or to apply them again. */
import { Document, visit } from 'yaml';
import type { Integration } from '../core/integration-settings.ts';
import { isActing, plainJson } from '../core/printable.ts';

/** The YAML style. The style puts each setting on one line, even if the line is long. */
const YAML_STYLE = { lineWidth: 0 };

/**
 * Returns settings as YAML. Values with special characters are quoted and escaped. Applying the YAML results in the
 * same values.
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

export interface ShownSettings {
  settings: unknown;
  /** The variables that replace secrets, in the order of the settings. */
  variables: string[];
}

/** Matches the names of settings whose values are secrets. */
const SECRET_NAME = /key|secret|token|password|passphrase|credential/i;

/**
 * The sections that contain keys and credentials. In other sections, "key" may be part of the name of a field or
 * network.
 */
const SECRET_PARTS: readonly string[] = ['partner', 'crm'];

/**
 * Replaces each secret with `${NAME}`. A webhook's address and a URL with a password are secrets. In `partner` and
 * `crm`, a setting's name or a name above it can show that the value is a secret. The variable's name consists of the
 * integration's ID and the setting's path: `crm.auth.token` of `riverside` is `RIVERSIDE_CRM_AUTH_TOKEN`. A literal
 * `${` becomes `$${`, so that reading the YAML results in the same settings.
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
  // Anyone who knows the address of a chat webhook can post messages.
  if (part === 'alerts') return names.at(-1) === 'url';
  return SECRET_PARTS.includes(part) && SECRET_NAME.test(names.at(-1) ?? '');
}

function holdsPassword(text: string): boolean {
  return Boolean(URL.parse(text)?.password);
}

/** Returns the name of a variable. Each name is used only once. */
function variableName(path: readonly string[], taken: readonly string[]): string {
  const words = path
    .join('_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
  // Unlike an ID, the name of a variable must not start with a digit.
  const name = words.replace(/^(?=\d)/, '_');
  const twins = taken.filter((other) => other.replace(/__\d+$/, '') === name).length;
  return twins === 0 ? name : `${name}__${twins + 1}`;
}

export function listVariables(shown: unknown): string[] {
  if (typeof shown === 'string') return /^\$\{(\w+)\}$/.exec(shown)?.slice(1) ?? [];
  if (typeof shown !== 'object' || shown === null) return [];
  return Object.values(shown).flatMap(listVariables);
}
