/**
 * Does the same as `sf project convert source`, with the same library. Reads the project in a folder and writes it in
 * the format of the Metadata API. Run `node test/sf-cli/convert-source.ts PROJECT TARGET`.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ComponentSetBuilder, MetadataConverter } from '@salesforce/source-deploy-retrieve';
import { z } from 'zod';

const projectSchema = z.object({
  packageDirectories: z.array(z.object({ path: z.string() })),
  sourceApiVersion: z.string(),
});

const [project = '.', target = 'converted'] = process.argv.slice(2);
const { packageDirectories, sourceApiVersion } = projectSchema.parse(
  JSON.parse(await readFile(path.join(project, 'sfdx-project.json'), 'utf8')),
);
const components = await ComponentSetBuilder.build({
  sourceapiversion: sourceApiVersion,
  sourcepath: packageDirectories.map((directory) => path.join(project, directory.path)),
});
await new MetadataConverter().convert(components, 'metadata', {
  type: 'directory',
  outputDirectory: target,
  genUniqueDir: false,
});
