package io.weir.server.state;

import io.weir.engine.Engine;
import io.weir.rule.RuleSet;
import io.weir.server.metrics.Metrics;

/** Takes the rules of a rule file, and shows the metrics of those in force. */
public interface RuleSink {
  /** The rules of the document in force. */
  RuleSet rules();

  /** Shows the metrics of the rules that are in force at the start. */
  void start();

  /**
   * Takes valid rules of the file, also if only comments have changed.
   *
   * @return whether they are in force now
   */
  boolean replace(RuleSet next);

  /** Puts every rule set into force. */
  static RuleSink of(Engine engine, Metrics metrics) {
    return new RuleSink() {
      @Override
      public RuleSet rules() {
        return engine.rules();
      }

      @Override
      public void start() {
        RuleReloader.show(engine.rules(), metrics);
      }

      @Override
      public boolean replace(RuleSet next) {
        if (!next.equals(engine.rules())) {
          engine.replaceRules(next);
          RuleReloader.show(next, metrics);
        }
        return true;
      }
    };
  }
}
