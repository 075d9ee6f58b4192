// The parser imports JSON files without saying that they are JSON, which Node 20 and newer refuse.
import {readFile} from 'node:fs/promises';
import {register} from 'node:module';
import {isMainThread} from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.json') || context.importAttributes?.type) return next(url, context);
  return {format: 'module', shortCircuit: true, source: `export default ${await readFile(new URL(url), 'utf8')};`};
}
