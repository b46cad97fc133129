/**
 * Checks that Kubernetes accepts the objects. The script uses the schemas of Kubernetes, and types that are generated
 * from them. The schemas alone would accept unknown members.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import type { KubernetesObject } from './chart.ts';

/** A class from the Kubernetes package that checks objects of one kind. */
interface Model<Shape> {
  apiVersion: string;
  kind: string;
  is(value: unknown): value is Shape;
  new (data: Shape): { validate(): void };
}

interface Kind {
  name: string;
  module: string;
  /** Returns false if the object has a different kind. Throws an error if the object is invalid. */
  check(object: KubernetesObject): boolean;
}

function kindOf<Shape>(model: Model<Shape>, module: string): Kind {
  return {
    name: model.kind,
    module,
    check(object) {
      if (!model.is(object)) return false;
      new model(object).validate();
      return true;
    },
  };
}

const NETWORKING = 'kubernetes-models/networking.k8s.io/v1';

const KINDS: readonly Kind[] = [
  kindOf(Deployment, 'kubernetes-models/apps/v1'),
  kindOf(Job, 'kubernetes-models/batch/v1'),
  kindOf(Service, 'kubernetes-models/v1'),
  kindOf(ConfigMap, 'kubernetes-models/v1'),
  kindOf(Ingress, NETWORKING),
  kindOf(NetworkPolicy, NETWORKING),
  kindOf(PodDisruptionBudget, 'kubernetes-models/policy/v1'),
  kindOf(HorizontalPodAutoscaler, 'kubernetes-models/autoscaling/v2'),
  kindOf(ScaledObject, '@kubernetes-models/keda/keda.sh/v1alpha1'),
  kindOf(ServiceMonitor, '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'),
];

/** Returns the problems because of which Kubernetes would reject objects or drop parts of them without an error. */
export function findShapeProblems(objects: readonly KubernetesObject[]): string[] {
  const problems: string[] = [];
  const lines: string[] = [];
  for (const object of objects) {
    const name = `${object.kind} ${object.metadata.name}`;
    try {
      const kind = KINDS.find((one) => one.check(object));
      if (kind === undefined) problems.push(`${name}: ${object.apiVersion} has no such kind here`);
      else {
        // Each object is on its own line, so the line number of a compiler error identifies the object.
        const type = `import('${kind.module}').I${kind.name}`;
        lines.push(`export const o${lines.length}: ${type} = ${JSON.stringify(object)};`);
      }
    } catch (error) {
      problems.push(`${name}: ${String(error)}`);
    }
  }
  return [...problems, ...complaintsOf(lines)];
}

const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'esnext'];
const MODULES = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''];

function complaintsOf(lines: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'donor-sync-chart-'));
  try {
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'objects.ts');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const args = [TSC, ...OPTIONS, ...MODULES, file];
    // The folder must not contain a tsconfig.json.
    const options = { encoding: 'utf8', cwd: folder } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    if (status === 0) return [];
    return `${stdout}${stderr}`.split('\n').filter((line) => line.includes('error'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
