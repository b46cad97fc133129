import type { Command } from 'commander';
import { Document, visit } from 'yaml';
import type { Integration } from '../../../core/integration.ts';
import { isActing, plainJson } from '../../../core/printable.ts';
import { readOptions, runAction } from '../../action/command.ts';
import {
  type ProductDeps,
  productCommand,
  productOptionsSchema,
  withApplication,
} from '../../action/product.ts';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { hideSecrets } from './hide-secrets.ts';

const EXAMPLES = `
Examples:
  donor-sync export riverside > riverside.yaml
  donor-sync export riverside --json

Keys, tokens and passwords are replaced by variables whose names are made of the integration's id
and the setting, for example \${RIVERSIDE_PARTNER_API_KEY}; stderr lists them.`;

/** The command `export`: prints an integration so that `apply` takes it. */
export function exportCommand(deps: ProductDeps): Command {
  const command = productCommand('export', deps)
    .description('print the settings of an integration as YAML that apply takes')
    .argument('<id>', 'the integration, from the settings file or from the database')
    .addHelpText('after', EXAMPLES);
  return command.action((id: string) =>
    runAction(deps, command, async (output) => {
      const { config } = readOptions(command, productOptionsSchema);
      const integration = await findIntegration(deps, config, id);
      const { settings, variables } = hideSecrets(integration);
      // JSON is YAML: `apply` takes either.
      const document = { integrations: [settings] };
      output.finish(document, () => output.print(yamlOf(document).trimEnd()));
      if (variables.length > 0) {
        output.note(`Set these variables before you apply it: ${variables.join(', ')}`);
      }
      return EXIT_CODES.done;
    }),
  );
}

/** Long texts stay on their line, so that a line is a setting. */
const YAML_STYLE = { lineWidth: 0 };

/** A text with something in it that acts stands in quotes and escaped: what is applied is the same. */
function yamlOf(settings: object): string {
  const document = new Document(settings);
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && isActing(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return plainJson(document.toString(YAML_STYLE));
}

function findIntegration(
  deps: ProductDeps,
  config: string | undefined,
  id: string,
): Promise<Integration> {
  return withApplication(deps, config, async (application) => {
    const [integration] = application.select([id]);
    if (integration === undefined) throw new Error(`select gave nothing for "${id}"`);
    return integration;
  });
}
