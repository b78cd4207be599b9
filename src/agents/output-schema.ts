/** Structured results: the schema is checked when the child is started, the value when it is handed in. */
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SubagentError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';
import { jsonCopy } from '../sessions/json-copy.ts';
import { faultsOf } from './schema-faults.ts';

/**
 * A keyword that nobody knows would be asked for and then ignored, so it is refused; what is merely unusual is not. Only what an
 * object has itself counts: it would else have `constructor`, `toString` and the like without anybody having said so.
 */
const options: Options = {
  allErrors: true,
  ownProperties: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  validateFormats: false,
};

/** Ajv keeps whatever it has compiled, so schemas are told apart by their text, and it is replaced when it holds this many. */
const compiledMax = 200;

const compilers = new Map<typeof Ajv | typeof Ajv2020, Ajv>();
const compiled = new Map<string, ValidateFunction>();

/**
 * A copy that nobody can change any more. Throws `INVALID_ARGUMENT` unless the schema is valid JSON Schema whose root says
 * `type: "object"` and that names no remote schema.
 */
export function checkOutputSchema(schema: unknown): JsonObject {
  const copy = jsonCopy(schema, 'the output schema') as JsonObject | null;
  if (typeof copy !== 'object' || copy?.type !== 'object')
    throw new SubagentError('INVALID_ARGUMENT', 'an output schema describes an object at its root');
  validator(copy);
  return copy;
}

/** A copy of the value. Throws `INVALID_ARGUMENT` that names each place where it breaks the schema, but not the value. */
export function checkStructured(schema: JsonObject, value: unknown): JsonValue {
  const copy = jsonCopy(value, 'the result');
  const validate = validator(schema);
  if (isValid(validate, copy)) return copy;
  throw new SubagentError(
    'INVALID_ARGUMENT',
    `the result does not satisfy its schema: ${faultsOf(validate, (place) => place || 'the result')}`,
  );
}

/** A schema that refers to itself without taking a step into the value never comes to an end. */
function isValid(validate: ValidateFunction, value: JsonValue): boolean {
  try {
    return validate(value) === true;
  } catch (error) {
    throw new SubagentError('INVALID_ARGUMENT', 'the output schema cannot be used', { cause: error });
  }
}

function validator(schema: JsonObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= compiledMax) {
    compiled.clear();
    compilers.clear();
  }
  try {
    const validate = compilerOf(schema).compile(compilable(schema));
    compiled.set(text, validate);
    return validate;
  } catch (error) {
    throw new SubagentError('INVALID_ARGUMENT', 'the output schema cannot be used', { cause: error });
  }
}

function compilerOf({ $schema }: JsonObject): Ajv {
  const dialect = typeof $schema === 'string' && $schema.includes('2020-12') ? Ajv2020 : Ajv;
  const compiler = compilers.get(dialect) ?? new dialect(options);
  compilers.set(dialect, compiler);
  return compiler;
}

/** An `$id` would make a second schema with it a duplicate; an asynchronous schema would answer with a promise. */
function compilable(schema: JsonObject): JsonObject {
  const { $id: _, $async, ...rest } = schema;
  if ($async !== undefined) throw new Error('an output schema is not asynchronous');
  return rest;
}
