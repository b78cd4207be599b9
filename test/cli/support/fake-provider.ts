/** Preloaded into the program: makes `@ai-sdk/fake` a package that is installed, with models that answer in one way each. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '@ai-sdk/fake') return next(specifier, context);
    return { url: import.meta.resolve('./fake-models.ts'), shortCircuit: true };
  },
});
