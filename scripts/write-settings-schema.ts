/**
 * Writes `config/settings.schema.json`, which editors use to check a settings file. Run it after a change to the
 * settings or to a connector's settings: `node scripts/write-settings-schema.ts`.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBuiltInConnectors } from '../connectors/index.ts';
import { editorSchema } from '../src/settings/editor-schema.ts';

const target = fileURLToPath(new URL('../config/settings.schema.json', import.meta.url));
writeFileSync(target, JSON.stringify(editorSchema(await loadBuiltInConnectors())));

const biome = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'));
execFileSync(process.execPath, [biome, 'format', '--write', target], { stdio: 'inherit' });
