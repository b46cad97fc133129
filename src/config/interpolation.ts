import type { Environment } from './environment.ts';

/** A text of the settings after its `${NAME}`s were replaced. */
export interface Interpolation {
  text: string;
  /** The variables that were named, in order. */
  variables: string[];
  /** What is wrong: an unset variable, an unclosed or misspelt `${`. */
  problems: string[];
}

/** `$${`, then `${NAME}`, then a `${` that is neither. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^}\s]*\}?/g;

/**
 * Replaces every `${NAME}` by the environment's value; `$${` stands for a plain `${`. An unset
 * or empty variable is a problem (design, section 4.2) and leaves its reference as it is. Values
 * are not looked into: a `${` inside a variable stays as it is.
 */
export function interpolate(text: string, env: Environment): Interpolation {
  const variables: string[] = [];
  const problems: string[] = [];
  const replaced = text.replace(REFERENCE, (reference: string, name: string | undefined) => {
    if (reference === `$\${`) return `\${`;
    if (name === undefined) {
      problems.push(`"\${" must be followed by a name and "}"; write "$\${" for a plain "\${"`);
      return reference;
    }
    variables.push(name);
    const value = env[name];
    if (value) return value;
    problems.push(unsetMessage(name, value));
    return reference;
  });
  return { text: replaced, variables, problems };
}

function unsetMessage(name: string, value: string | undefined): string {
  const state = value === undefined ? 'not set' : 'empty';
  return `the environment variable ${name} is ${state}`;
}
